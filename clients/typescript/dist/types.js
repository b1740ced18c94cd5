/** The API's types: those of `models.ts`, the queries, and what the API's documents cannot say. */
export {};
