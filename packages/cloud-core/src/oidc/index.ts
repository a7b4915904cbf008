export { createOidcSessions } from './create-oidc-sessions.ts'
export type { OidcOptions, TokenAlgorithm, TokenRefusal } from './oidc-options.ts'
