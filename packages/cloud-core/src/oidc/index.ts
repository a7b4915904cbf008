export { createOidcSessions } from './create-oidc-sessions.ts'
export type { OidcOptions, TokenAlgorithm, TokenRejection } from './oidc-options.ts'
export type { Fetch, FetchOption } from '@homeward/kit/http'
