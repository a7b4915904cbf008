export type { OpenApiDocument } from './json-schemas.ts'
export { type OpenApiOptions, toOpenApi } from './to-open-api.ts'
