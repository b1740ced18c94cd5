/** The API's types under short names, generated from its OpenAPI and AsyncAPI documents. */
export {};
