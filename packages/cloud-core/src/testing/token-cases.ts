import type { NewAuditEntry } from '../ports/audit-store.ts'
import type { CloudStore } from '../ports/cloud-store.ts'
import type { StoredToken } from '../ports/token-store.ts'
import { expectRejection, expectSame, race } from '@homeward/kit/testing'
import type { CloudStoreCase } from './store-harness.ts'
import { at, auditOf, onceOf, storeCase, tokenOf } from './store-harness.ts'

const limits = { maxTokens: 3, expiredBefore: at(-100) }

const add = async (store: CloudStore, token: StoredToken, audit?: readonly NewAuditEntry[]) =>
  (await store.insertToken(token, limits, undefined, audit)).kind
const idsOf = async (store: CloudStore, owner = 'ann') => (await store.listTokens(owner)).map(({ id }) => id)
const auditOfAnn = async (store: CloudStore) =>
  (await store.listAudit('ann', {}, { limit: 9 }, at(1))).rows.map(({ id, name }) => `${id} ${name}`)

/** Promises of `TokenStore`. */
export const tokenCases: readonly CloudStoreCase[] = [
  storeCase(
    'C30: keeps tokens as they are, newest first, and shows an owner no others',
    async ({ store }) => {
      const full = tokenOf('t2', {
        createdAt: at(2),
        name: 'naïve "🖥️" %_\\',
        may: ['read', 'search', 'fetch', 'manage', 'audit'],
        filter: { labels: ['site:berlin'], type: "it's", ids: ['d1', 'd2'] },
        createdBy: 'token:other',
        expiresAt: at(50),
        lastUsedAt: at(3),
      })
      await add(store, tokenOf('t1'))
      await add(store, full)
      await add(store, tokenOf('t3', { owner: 'Ann' }))
      expectSame(await store.listTokens('ann'), [full, tokenOf('t1')], 'the tokens')
      expectSame(await idsOf(store, 'Ann'), ['t3'], 'the tokens of another owner')
      expectSame(await store.listTokens('eve'), [], 'the tokens of nobody')
      expectSame(await store.findTokenByHash('hash-t2'), full, 'the token of a secret, expired or not')
      expectSame(await store.findTokenByHash('HASH-t2'), undefined, 'the token of another secret')
    },
  ),
  storeCase('C30: adds no token under an id or a secret that is in use', async ({ store }) => {
    await add(store, tokenOf('t1'))
    await expectRejection(() => add(store, tokenOf('t1', { hash: 'other' })), 'an id that is in use')
    const clash = () => add(store, tokenOf('t2', { hash: 'hash-t1' }), [auditOf('e1')])
    await expectRejection(clash, 'a secret that is in use')
    expectSame([await idsOf(store), await auditOfAnn(store)], [['t1'], []], 'the tokens and the entries')
  }),
  storeCase('C30: bounds the tokens of an owner; those long expired make room', async ({ store }) => {
    await add(store, tokenOf('t1', { expiresAt: at(-101) }))
    await add(store, tokenOf('t2', { expiresAt: at(-100) }))
    await add(store, tokenOf('b1', { owner: 'bob', expiresAt: at(-101) }))
    expectSame(await add(store, tokenOf('t3')), 'created', 'a third token')
    expectSame(await add(store, tokenOf('t4')), 'created', 'a token in the place of an expired one')
    expectSame(await add(store, tokenOf('t5'), [auditOf('e1')]), 'too_many', 'a token too many')
    expectSame(await idsOf(store), ['t4', 't3', 't2'], 'the tokens')
    expectSame([await idsOf(store, 'bob'), await auditOfAnn(store)], [['b1'], []], 'what is left alone')
  }),
  storeCase('C20, C30: creates a token once, however many repeats race', async ({ store }) => {
    const outcomes = await race((index) =>
      store.insertToken(tokenOf(`t${index}`), limits, onceOf('k'), [auditOf(`e${index}`)]),
    )
    expectSame(outcomes.filter(({ kind }) => kind === 'created').length, 1, 'how many were created')
    expectSame((await idsOf(store)).length, 1, 'how many tokens there are')
    expectSame((await auditOfAnn(store)).length, 1, 'how many entries there are')
  }),
  storeCase('C30: deletes a token of its owner, once, and records it with its name', async ({ store }) => {
    await add(store, tokenOf('t1', { name: 'nightly' }), [auditOf('e1', { name: 'nightly' })])
    expectSame(await store.deleteToken('bob', 't1', [auditOf('e2')]), undefined, 'by another owner')
    const deleted = await store.deleteToken('ann', 't1', [auditOf('e3', { name: null })])
    expectSame(deleted, { hash: 'hash-t1', name: 'nightly' }, 'what was deleted')
    expectSame(await store.deleteToken('ann', 't1', [auditOf('e4')]), undefined, 'a second time')
    expectSame(await store.findTokenByHash('hash-t1'), undefined, 'the token')
    expectSame(await auditOfAnn(store), ['e3 nightly', 'e1 nightly'], 'the entries')
  }),
  storeCase('C30: notes when a token was used, and minds no token that is gone', async ({ store }) => {
    await add(store, tokenOf('t1'))
    await add(store, tokenOf('t2'))
    await store.touchToken('t1', at(5))
    await store.touchToken('gone', at(5))
    expectSame(
      await store.listTokens('ann'),
      [tokenOf('t2'), tokenOf('t1', { lastUsedAt: at(5) })],
      'the tokens',
    )
  }),
]
