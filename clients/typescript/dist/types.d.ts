/** The API's types under short names, generated from its OpenAPI and AsyncAPI documents. */
import type { components, operations } from "./schema.js";
/** Every type of the API by name. */
export type Schemas = components["schemas"];
export type Game = Schemas["GameView"];
export type GameSummary = Schemas["GameSummary"];
export type Games = Schemas["Games"];
export type Player = Schemas["Player"];
export type Turn = Schemas["Turn"];
export type PlacedTile = Schemas["PlacedTile"];
export type Result = Schemas["GameResult"];
export type Wares = Schemas["Wares"];
export type CreateGame = Schemas["CreateGame"];
export type Created = Schemas["Created"];
export type JoinGame = Schemas["JoinGame"];
export type SeatToken = Schemas["SeatToken"];
export type Joined = Schemas["Joined"];
export type LegalMoves = Schemas["LegalMoves"];
export type Move = Schemas["Move"];
export type ActionRequest = Schemas["ActionRequest"];
export type Act = Schemas["Act"];
export type ActionResult = Schemas["ActionResult"];
export type Diff = Schemas["Diff"];
export type Diffs = Schemas["Diffs"];
/** An event. Ignore unknown types: more may be added. */
export type GameEvent = Schemas["GameEvent"];
export type PatchOperation = Schemas["PatchOperation"];
export type SeatCommand = Schemas["SeatCommand"];
export type Rematch = Schemas["Rematch"];
export type Rematched = Schemas["Rematched"];
export type MyGames = Schemas["MyGames"];
export type BotList = Schemas["BotList"];
export type Story = Schemas["Story"];
export type RegisterWebhook = Schemas["RegisterWebhook"];
export type Webhook = Schemas["Webhook"];
export type WebhookCreated = Schemas["WebhookCreated"];
export type Webhooks = Schemas["Webhooks"];
export type Deliveries = Schemas["Deliveries"];
/** The body of a request to a webhook's URL. */
export type WebhookMessage = Schemas["WebhookMessage"];
/** The first request to a webhook's URL; respond with its challenge to confirm the webhook. */
export type WebhookChallenge = Schemas["WebhookChallenge"];
/** A message that tests a webhook. */
export type WebhookPing = Schemas["WebhookPing"];
export type WebhookChallengeAnswer = Schemas["WebhookChallengeAnswer"];
export type ApiKey = Schemas["ApiKeyView"];
export type RegisterKeyWebhook = Schemas["RegisterKeyWebhook"];
export type ChangeKeyWebhook = Schemas["ChangeKeyWebhook"];
export type KeyWebhook = Schemas["KeyWebhook"];
export type KeyWebhookCreated = Schemas["KeyWebhookCreated"];
export type KeyWebhooks = Schemas["KeyWebhooks"];
export type KeyDeliveries = Schemas["KeyDeliveries"];
export type RotateSecret = Schemas["RotateSecret"];
export type RotatedSecret = Schemas["RotatedSecret"];
export type BoardFeatures = Schemas["BoardFeatures"];
export type BoardFeature = Schemas["BoardFeature"];
export type Scores = Schemas["Scores"];
export type TilesLeft = Schemas["TilesLeft"];
export type TileSet = Schemas["TileSet"];
export type TileSets = Schemas["TileSets"];
export type Tile = Schemas["Tile"];
export type Segment = Schemas["Segment"];
export type Ship = Schemas["Ship"];
export type Problem = Schemas["Problem"];
/** A WebSocket message of a client. */
export type ClientMessage = Schemas["ClientMessage"];
/** A WebSocket message of the service. Ignore unknown types: more may be added. */
export type ServerMessage = Schemas["ServerMessage"];
type QueryOf<Name extends keyof operations> = NonNullable<operations[Name]["parameters"]["query"]>;
export type GamesQuery = QueryOf<"listGames">;
export type FeaturesQuery = QueryOf<"readFeatures">;
export type LegalMovesQuery = QueryOf<"readLegalMoves">;
export type MyGamesQuery = QueryOf<"listMyGames">;
export type StoryQuery = QueryOf<"readStory">;
export type BoardQuery = QueryOf<"readBoardSvg">;
export type TileQuery = QueryOf<"readTileSvg">;
export type TilesQuery = QueryOf<"readTilesSvg">;
export type ShipQuery = QueryOf<"readShipSvg">;
export type DiffsQuery = QueryOf<"readDiffs">;
export {};
