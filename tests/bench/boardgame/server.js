// A boardgame.io server in memory, on the port given.
const { Server, Origins } = require("boardgame.io/server");
const game = require("./game");

const server = Server({ games: [game], origins: [Origins.LOCALHOST] });
server.run({ port: Number(process.argv[2]), callback: () => console.log("serving") });
