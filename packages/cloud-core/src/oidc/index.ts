export { createOidcSessions } from './create-oidc-sessions.ts'
export type { OidcOptions, TokenAlgorithm, TokenRefusal } from './oidc-options.ts'
export type { Fetch } from '../remote/guarded-fetch.ts'
