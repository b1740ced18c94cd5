/** The API's types: those of `models.ts`, the queries, and what the API's documents cannot say. */
import type { ActionRequest } from "./models.js";
import type { operations } from "./schema.js";
export type * from "./models.js";
/** One action, a move by its id, or several actions, all or none; for `seat`, if the token acts for several. */
export type Act = {
    readonly seat?: number | null;
} & ({
    readonly move: string;
    readonly action?: never;
    readonly actions?: never;
} | {
    readonly action: ActionRequest;
    readonly move?: never;
    readonly actions?: never;
} | {
    readonly actions: readonly ActionRequest[];
    readonly move?: never;
    readonly action?: never;
});
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
