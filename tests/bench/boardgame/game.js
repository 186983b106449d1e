// A game of the size of Sirenen: 52 cards, two hands that only their seats see, five ships with two sides.
const { INVALID_MOVE } = require("boardgame.io/core");

const SHIPS = [30, 31, 32, 33, 34];
const RESISTANCE = 17;
const LIMIT = 5;
const VALUES = Array.from({ length: 52 }, (_, card) => (card % 6) + 1);

function setup({ random }) {
  const deck = random.Shuffle(Array.from({ length: 52 }, (_, card) => card));
  return {
    hands: { 0: deck.splice(0, 6), 1: deck.splice(0, 6) },
    pile: deck,
    ships: SHIPS.map((ship) => ({ ship, sides: [[], []], mugs: [], crew: ship === 30 ? "captain" : null })),
    players: [0, 1].map(() => ({ ships: [], crew: [], mugHeld: true, octopusOn: null, points: 0 })),
    removed: { cards: [], ships: [] },
  };
}

function total(side) {
  return side.reduce((sum, card) => sum + VALUES[card], 0);
}

function score(G, ship) {
  const sums = ship.sides.map(total);
  if (Math.max(...sums) < RESISTANCE && !ship.sides.every((side) => side.length === LIMIT)) return;
  G.ships = G.ships.filter((other) => other.ship !== ship.ship);
  G.removed.cards.push(...ship.sides[0], ...ship.sides[1]);
  if (sums[0] === sums[1]) {
    G.removed.ships.push(ship.ship);
    return;
  }
  const taker = G.players[sums[1] > sums[0] ? 1 : 0];
  taker.ships.push(ship.ship);
  taker.points += ship.crew ? 2 : 1;
}

function playCard({ G, playerID }, card, at, side) {
  const hand = G.hands[playerID];
  const ship = G.ships.find((other) => other.ship === at);
  if (!hand.includes(card) || !ship || ![0, 1].includes(side)) return INVALID_MOVE;
  if (ship.sides[side].length >= LIMIT) return INVALID_MOVE;
  hand.splice(hand.indexOf(card), 1);
  ship.sides[side].push(card);
  score(G, ship);
  if (G.pile.length) hand.push(G.pile.shift());
}

function playerView({ G, playerID }) {
  const hands = {};
  for (const seat of [0, 1]) hands[seat] = String(seat) === playerID ? G.hands[seat] : G.hands[seat].length;
  return { ...G, hands, pile: G.pile.length };
}

module.exports = {
  name: "ships",
  setup,
  playerView,
  moves: { playCard: { move: playCard, client: false } },
  turn: { minMoves: 1, maxMoves: 1 },
  endIf: ({ G, ctx }) => {
    const over = G.players.some((player) => player.points >= 4) || !G.ships.length;
    if (over || !G.hands[ctx.currentPlayer].length) return { points: G.players.map((player) => player.points) };
  },
};
