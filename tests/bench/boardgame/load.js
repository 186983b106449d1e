// Plays matches at once on a boardgame.io server by its own protocol, without its client: PORT MATCHES MOVES.
// Says "ready" when all matches stand and both seats are connected, begins at a line on stdin, answers with JSON.
const { io } = require("socket.io-client");

const [port, matches, moves] = process.argv.slice(2).map(Number);
const lobby = `http://localhost:${port}/games/ships`;
const SHORTEST = 18;
const answers = [], told = [];
let isBegun = false, isOver = false, finish = null;

async function post(path, body) {
  const response = await fetch(lobby + path, {
    method: "POST", body: JSON.stringify(body), headers: { "content-type": "application/json" },
  });
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return response.json();
}

async function seated() {
  const { matchID } = await post("/create", { numPlayers: 2 });
  const credentials = [];
  for (const playerID of ["0", "1"]) {
    credentials.push((await post(`/${matchID}/join`, { playerID, playerName: "Bench" })).playerCredentials);
  }
  return { matchID, credentials };
}

class Pair {
  constructor(all) {
    this.all = all;
    this.sockets = ["0", "1"].map(() =>
      io(`http://localhost:${port}/ships`, { transports: ["websocket"], forceNew: true }));
    this.sockets.forEach((socket, seat) => {
      socket.on("update", (matchID, state) => this.hear(seat, matchID, state));
      socket.on("sync", (matchID, { state }) => this.synced(seat, matchID, state));
    });
  }

  // Joins the next match; resolves when both seats have seen it.
  next() {
    this.match = this.all.pop();
    this.states = [null, null];
    this.sentAt = 0;
    if (!this.match) throw new Error("out of matches");
    const { matchID, credentials } = this.match;
    this.sockets.forEach((socket, seat) => socket.emit("sync", matchID, String(seat), credentials[seat], 2));
    return new Promise((resolve) => { this.joined = resolve; });
  }

  synced(seat, matchID, state) {
    if (matchID !== this.match.matchID) return;
    this.states[seat] = state;
    if (!this.states.includes(null)) {
      this.joined();
      if (isBegun) this.play();
    }
  }

  hear(seat, matchID, state) {
    if (matchID !== this.match.matchID) return;
    this.states[seat] = state;
    if (this.sentAt) {
      if (seat === this.mover) answers.push(performance.now() - this.sentAt);
      else told.push(performance.now() - this.sentAt);
    }
    if (answers.length >= moves && !isOver) {
      isOver = true;
      finish();
    }
    if (this.states[0]._stateID === this.states[1]._stateID) this.play();
  }

  play() {
    if (isOver) return;
    const { ctx } = this.states[0];
    if (ctx.gameover) { this.next(); return; }
    const seat = Number(ctx.currentPlayer), state = this.states[seat];
    const ship = state.G.ships.find((other) => other.sides.some((side) => side.length < 5));
    const side = ship.sides[0].length < 5 ? 0 : 1;
    const args = [state.G.hands[seat][0], ship.ship, side], playerID = String(seat);
    const payload = { type: "playCard", args, playerID, credentials: this.match.credentials[seat] };
    this.mover = seat;
    this.sentAt = performance.now();
    this.sockets[seat].emit("update", { type: "MAKE_MOVE", payload }, state._stateID, this.match.matchID, playerID);
  }
}

async function main() {
  const each = Math.ceil(moves / matches / SHORTEST) + 2, pairs = [];
  for (let i = 0; i < matches; i += 1) {
    const all = [];
    for (let j = 0; j < each; j += 1) all.push(await seated());
    pairs.push(new Pair(all));
  }
  await Promise.all(pairs.map((pair) => pair.next()));
  console.log("ready");
  await new Promise((resolve) => { process.stdin.once("data", resolve); });
  const began = performance.now(), cpu = process.cpuUsage();
  isBegun = true;
  const done = new Promise((resolve) => { finish = resolve; });
  pairs.forEach((pair) => pair.play());
  await done;
  const used = process.cpuUsage(cpu), seconds = (performance.now() - began) / 1000;
  console.log(JSON.stringify({ moves: answers.length, seconds, client_us: used.user + used.system, answers, told }));
  process.stdin.once("data", () => process.exit(0));
}

main();
