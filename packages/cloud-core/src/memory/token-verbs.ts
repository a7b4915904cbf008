import { CloudStoreError } from '../ports/cloud-store-error.ts'
import type { NewAuditEntry } from '../ports/audit-store.ts'
import type { CreateOutcome, IdempotencyRecord } from '../ports/idempotency-record.ts'
import type { StoredToken, TokenLimits } from '../ports/token-store.ts'
import { appendAudit } from './audit-verbs.ts'
import { addOnce, findRepeat } from './once-rows.ts'
import { comparePositions } from './sorted-rows.ts'
import type { Tables } from './tables.ts'

/** {@link TokenStore.insertToken}, in memory. */
export function insertToken(
  tables: Tables,
  token: StoredToken,
  { maxTokens, expiredBefore }: TokenLimits,
  once: IdempotencyRecord | undefined,
  audit?: readonly NewAuditEntry[],
): CreateOutcome | { readonly kind: 'too_many' } {
  const repeat = findRepeat(tables.once, once)
  if (repeat !== undefined) return repeat
  const held = listTokens(tables, token.owner)
  const isLongOver = ({ expiresAt }: StoredToken) => expiresAt !== null && expiresAt < expiredBefore
  const [over, rest] = [held.filter(isLongOver), held.filter((each) => !isLongOver(each))]
  if (rest.length >= maxTokens) return { kind: 'too_many' }
  if (tables.tokens.has(token.id) || [...tables.tokens.values()].some(({ hash }) => hash === token.hash)) {
    throw new CloudStoreError(
      'CONFLICT',
      'Adding a token failed: its id or secret is already in use. Create a new one.',
    )
  }
  appendAudit(tables, audit)
  addOnce(tables.once, once)
  for (const { id } of over) tables.tokens.delete(id)
  tables.tokens.set(token.id, { ...token })
  return { kind: 'created' }
}

/** {@link TokenStore.findTokenByHash}, in memory. */
export function findTokenByHash(tables: Tables, hash: string): StoredToken | undefined {
  for (const token of tables.tokens.values()) if (token.hash === hash) return token
  return undefined
}

/** {@link TokenStore.listTokens}, in memory. */
export function listTokens(tables: Tables, owner: string): readonly StoredToken[] {
  const rows = [...tables.tokens.values()].filter((token) => token.owner === owner)
  return rows.toSorted((a, b) => comparePositions(b, a))
}

/** {@link TokenStore.touchToken}, in memory. */
export function touchToken(tables: Tables, id: string, lastUsedAt: string): void {
  const token = tables.tokens.get(id)
  if (token !== undefined) tables.tokens.set(id, { ...token, lastUsedAt })
}

/** {@link TokenStore.deleteToken}, in memory. */
export function deleteToken(
  tables: Tables,
  owner: string,
  id: string,
  audit?: readonly NewAuditEntry[],
): { readonly hash: string; readonly name: string } | undefined {
  const token = tables.tokens.get(id)
  if (token?.owner !== owner) return undefined
  const { hash, name } = token
  appendAudit(
    tables,
    audit?.map((entry) => ({ ...entry, name })),
  )
  tables.tokens.delete(id)
  return { hash, name }
}
