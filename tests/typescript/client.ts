// A stranger's client, as far as its types go: it makes a request that is compared with one made elsewhere.
import { create, toBinary } from "@bufbuild/protobuf";
import { anyPack } from "@bufbuild/protobuf/wkt";
import { ActionSchema } from "./gen/argosy/games/sirenen/v1/sirenen_pb.js";
import { ErrorReason } from "./gen/argosy/v1/error_reason_pb.js";
import { MatchService, PlayActionRequestSchema, type Entry } from "./gen/argosy/v1/match_service_pb.js";
import { RulesService } from "./gen/argosy/rules/v1/rules_service_pb.js";

const action = create(ActionSchema, { kind: { case: "keepStartCard", value: { card: 0 } } });
const request = create(PlayActionRequestSchema, {
  name: "matches/00000000000000000000000000",
  seat: 1,
  requestId: "0123456789abcdef",
  action: anyPack(ActionSchema, action),
});

// @ts-expect-error a version is a number: were it any, this program would prove nothing
const version: string = ({} as Entry).version;

const facts: [string, string, ErrorReason, typeof version] = [
  MatchService.typeName,
  RulesService.method.decideActions.input.typeName,
  ErrorReason.MATCH_FROZEN,
  "",
];
console.log(JSON.stringify({ facts, request: [...toBinary(PlayActionRequestSchema, request)] }));
