/** Generated from schemas/openapi.json and schemas/asyncapi.json by `npm run generate`. */
export {};
