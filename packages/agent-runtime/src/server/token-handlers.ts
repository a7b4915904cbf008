import { boundToken } from './access/bound-token.ts'
import { withIdempotencyKey } from './idempotency-key.ts'
import type { PlatformContext, PlatformHandlers } from './platform-context.ts'

type TokenHandlers = Pick<PlatformHandlers, 'createToken' | 'listTokens' | 'deleteToken' | 'listAudit'>

/** Access tokens and the audit (A26, A27). */
export function createTokenHandlers({ services: { tokens, audit } }: PlatformContext): TokenHandlers {
  return {
    createToken: ({ body, caller, request }) =>
      tokens.create(boundToken(withIdempotencyKey(body, request), caller)),
    listTokens: async ({ request }) => ({ tokens: [...(await tokens.list(request.signal))] }),
    async deleteToken({ params }) {
      await tokens.delete(params.id)
      return { ok: true }
    },
    async listAudit({ query, request }) {
      const { from, to, ...filter } = query
      const time = (text: string | undefined) =>
        text === undefined ? undefined : new Date(text).toISOString()
      const page = await audit.list({ ...filter, from: time(from), to: time(to) }, request.signal)
      const { entries, nextCursor } = page
      return { entries: [...entries], ...(nextCursor !== undefined && { next_cursor: nextCursor }) }
    },
  }
}
