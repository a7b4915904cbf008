import { expectAborts, expectSame, race, type ConformanceCase } from '@homeward/kit/testing'
import type { AgentStore } from '../../store/ports/agent-store.ts'
import type { AuditStore } from '../../store/ports/audit-store.ts'
import type { Retention } from '../../store/ports/retention.ts'
import type { StoredToken, TokenStore } from '../../store/ports/token-store.ts'
import { storeCase, type StoreHarness } from '../conformance-case.ts'
import { agentOf, at, entryOf } from '../conformance-fixtures.ts'

const limits = { maxTokens: 3, expiredBefore: at(0), sealedBefore: at(0) }

const tokenOf = (id: string, changes: Partial<StoredToken> = {}): StoredToken => ({
  id,
  hash: `hash of ${id}`,
  name: `"${id}"`,
  scopes: ['read', 'run'],
  createdAt: at(1),
  ...changes,
})

const listed = async (store: AuditStore, filter = {}) =>
  (await store.listAudit(filter, { limit: 9 })).rows.map(({ id }) => id)

/** Conformance cases for a `TokenStore`, for any test runner. */
export const tokenStoreConformance: readonly ConformanceCase<StoreHarness<TokenStore & AuditStore>>[] = [
  storeCase('A26: finds a token by the hash of its secret, as it was stored', async (store) => {
    const whole = tokenOf('t1', { agents: ['a', 'b'], expiresAt: at(50), lastUsedAt: at(2) })
    expectSame(await store.insertToken(whole, limits), true, 'adding a token')
    expectSame(await store.insertToken(tokenOf('t2', { createdAt: at(3) }), limits), true, 'another one')
    expectSame(await store.findTokenByHash('hash of t1'), whole, 'the token')
    expectSame(await store.findTokenByHash('hash of T1'), undefined, 'an unknown hash')
    expectSame(await store.listTokens(), [tokenOf('t2', { createdAt: at(3) }), whole], 'all tokens')
    await store.touchToken('t2', at(9))
    await store.touchToken('gone', at(9))
    expectSame((await store.findTokenByHash('hash of t2'))?.lastUsedAt, at(9), 'the last use')
  }),
  storeCase(
    'A26: keeps no more tokens than it may, and lets old expired ones go for new ones',
    async (store) => {
      const tokens = ['t1', 't2', 't3', 't4', 't5'].map((id) => tokenOf(id, { expiresAt: at(10) }))
      const added = await Promise.all(tokens.map((token) => store.insertToken(token, limits)))
      expectSame(added.filter(Boolean).length, 3, 'how many tokens were added')
      const later = { ...limits, expiredBefore: at(11) }
      expectSame(await store.insertToken(tokenOf('t6'), later), true, 'a token when the others have expired')
      expectSame(
        (await store.listTokens()).map(({ id }) => id),
        ['t6'],
        'the tokens',
      )
    },
  ),
  storeCase(
    'A26: adds a token of one id once, and forgets its sealed secret with its first use',
    async (store) => {
      const token = tokenOf('t1', { requestHash: 'r', sealed: 's' })
      const added = await race((index) => store.insertToken({ ...token, hash: `h${index}` }, limits))
      expectSame(added.filter(Boolean).length, 1, 'how many were added')
      expectSame(added.includes(false), false, 'whether one was too many')
      const found = await store.findToken('t1')
      expectSame(found, { ...token, hash: found?.hash }, 'the token')
      expectSame(await store.findToken('gone'), undefined, 'an unknown id')
      await store.touchToken('t1', at(2))
      expectSame((await store.findToken('t1'))?.sealed, undefined, 'the secret of a token that was used')
    },
  ),
  storeCase('A26: forgets secrets that were sealed long ago with the next new token', async (store) => {
    await store.insertToken(tokenOf('t1', { sealed: 's1' }), limits)
    await store.insertToken(tokenOf('t2', { sealed: 's2', createdAt: at(3) }), limits)
    await store.insertToken(tokenOf('t3'), { ...limits, sealedBefore: at(2) })
    expectSame((await store.findToken('t1'))?.sealed, undefined, 'an old secret')
    expectSame((await store.findToken('t2'))?.sealed, 's2', 'a younger one')
  }),
  storeCase('A26, A27: deletes a token once, and writes that down once', async (store) => {
    await store.insertToken(tokenOf('t1'), limits, entryOf('e1'))
    let number = 1
    const deleted = await race(() => store.deleteToken('t1', entryOf(`e${(number += 1)}`)))
    expectSame(deleted.filter(Boolean).length, 1, 'how many deletions found it')
    expectSame((await listed(store)).length, 2, 'the entries')
    expectSame(await store.findTokenByHash('hash of t1'), undefined, 'a deleted token')
  }),
  storeCase('verbs on tokens give up when their signal has aborted', async (store) => {
    await store.insertToken(tokenOf('t1'), limits)
    await expectAborts({
      insertToken: (signal) => store.insertToken(tokenOf('t2'), limits, undefined, signal),
      findToken: (signal) => store.findToken('t1', signal),
      findTokenByHash: (signal) => store.findTokenByHash('hash of t1', signal),
      listTokens: (signal) => store.listTokens(signal),
      touchToken: (signal) => store.touchToken('t1', at(5), signal),
      deleteToken: (signal) => store.deleteToken('t1', undefined, signal),
    })
    expectSame(await store.listTokens(), [tokenOf('t1')], 'the tokens')
  }),
]

/** Conformance cases for an `AuditStore`, for any test runner. */
export const auditStoreConformance: readonly ConformanceCase<
  StoreHarness<AuditStore & AgentStore & Retention>
>[] = [
  storeCase(
    'A27: lists entries by actor, action, target and time, the newest first, by pages',
    async (store) => {
      await store.appendAudit(entryOf('e1', { details: { fields: ['model'] } }))
      await store.appendAudit(entryOf('e2', { at: at(2), actor: 'local', outcome: 'refused' }))
      await store.appendAudit(entryOf('e3', { at: at(3), action: 'agent.deleted', target: 'a2' }))
      const first = await store.listAudit({}, { limit: 2 })
      expectSame(
        first.rows.map(({ id }) => id),
        ['e3', 'e2'],
        'the first page',
      )
      const second = await store.listAudit({}, { limit: 2, cursor: first.nextCursor })
      expectSame(second, { rows: [entryOf('e1', { details: { fields: ['model'] } })] }, 'the second page')
      expectSame(await listed(store, { actor: 'local' }), ['e2'], 'the entries of an actor')
      expectSame(await listed(store, { action: 'agent.created' }), ['e2', 'e1'], 'the entries of an action')
      expectSame(await listed(store, { target: 'a2' }), ['e3'], 'the entries of a target')
      expectSame(await listed(store, { from: at(2), to: at(3) }), ['e2'], 'the entries of a time')
    },
  ),
  storeCase('A27: completes an entry', async (store) => {
    await store.appendAudit(entryOf('e1', { details: { unfinished: true } }))
    const outcome = { target: 'a9', outcome: 'refused', details: { status: 404 } } as const
    await store.settleAudit({ id: 'e1', ...outcome })
    await store.settleAudit({ id: 'gone', ...outcome })
    expectSame((await store.listAudit({}, { limit: 9 })).rows, [entryOf('e1', outcome)], 'the entries')
  }),
  storeCase('A27: writes an entry with the change of an agent, or neither', async (store) => {
    await store.insertAgent(agentOf('a1'), entryOf('e1'))
    expectSame(await store.insertAgent(agentOf('a1'), entryOf('e2')), false, 'a taken id')
    expectSame(await store.replaceAgent(agentOf('a2'), entryOf('e3')), undefined, 'a missing agent')
    expectSame(await store.replaceAgent(agentOf('a1'), entryOf('e4')), 1, 'a change')
    expectSame(await store.deleteAgent('a2', entryOf('e5')), false, 'a missing agent')
    expectSame(await store.deleteAgent('a1', entryOf('e6')), true, 'a deletion')
    expectSame(await listed(store), ['e6', 'e4', 'e1'], 'the entries')
    const failed = await store.insertAgent(agentOf('a3'), entryOf('e1')).catch(() => 'failed')
    expectSame(failed, 'failed', 'a change whose entry cannot be written')
    expectSame(await store.findAgent('a3'), undefined, 'an agent whose entry was not written')
  }),
  storeCase('A27: lets entries go that are old or too many', async (store) => {
    for (let index = 0; index < 6; index += 1)
      await store.appendAudit(entryOf(`e${index}`, { at: at(index) }))
    await store.prune({ auditBefore: at(2) })
    expectSame(await listed(store), ['e5', 'e4', 'e3', 'e2'], 'the entries that are young enough')
    await store.prune({ auditEntries: 3 })
    expectSame(await listed(store), ['e5', 'e4', 'e3'], 'the newest entries')
    await store.prune({})
    expectSame((await listed(store)).length, 3, 'the entries after no limit')
  }),
  storeCase('verbs on the audit give up when their signal has aborted', async (store) => {
    await store.appendAudit(entryOf('e1'))
    await expectAborts({
      appendAudit: (signal) => store.appendAudit(entryOf('e2'), signal),
      settleAudit: (signal) => store.settleAudit({ id: 'e1', target: 'x', outcome: 'refused' }, signal),
      listAudit: (signal) => store.listAudit({}, { limit: 9 }, signal),
    })
    expectSame((await store.listAudit({}, { limit: 9 })).rows, [entryOf('e1')], 'the entries')
  }),
]
