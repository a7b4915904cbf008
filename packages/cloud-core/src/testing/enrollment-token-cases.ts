import { expectSame, race } from '@homeward/kit/testing'
import type { CloudStore } from '../ports/cloud-store.ts'
import { enrollmentOf, storedEnrollmentOf, tokenLimits, tokenOf } from './enrollment-harness.ts'
import type { CloudStoreCase } from './store-harness.ts'
import { at, auditOf, onceOf, online, storeCase } from './store-harness.ts'

const use = (id: string, token = 't1') => ({ secretHash: `secret-${token}`, deviceId: `device-${id}` })
const approval = (id: string, owner = 'ann') => ({
  id,
  owner,
  deviceId: `device-${id}`,
  labels: [],
  now: at(1),
})
const withToken = (store: CloudStore, changes: Parameters<typeof tokenOf>[1] = {}, id = 't1') =>
  store.insertEnrollmentToken(tokenOf(id, changes), tokenLimits, undefined)
const revocation = { owner: 'ann', id: 't1', now: at(1) }

/** Promises of `EnrollmentStore` about tokens. */
export const enrollmentTokenCases: readonly CloudStoreCase[] = [
  storeCase('C28: a token is created once and found by its secret', async ({ store }) => {
    const insert = (id: string, audit: string) =>
      store.insertEnrollmentToken(tokenOf(id), tokenLimits, onceOf('k1'), [auditOf(audit)])
    expectSame(await insert('t1', 'a1'), { kind: 'created' }, 'the outcome')
    const { fingerprint, reply } = onceOf('k1')
    expectSame(await insert('t2', 'a2'), { kind: 'repeated', fingerprint, reply }, 'a repeat')
    expectSame(await store.findEnrollmentToken('secret-t1'), tokenOf('t1'), 'the token')
    expectSame(await store.findEnrollmentToken('secret-t2'), undefined, 'the token of the repeat')
    const { rows } = await store.listAudit('ann', {}, { limit: 9 }, at(1))
    expectSame(
      rows.map(({ id }) => id),
      ['a1'],
      'the audit',
    )
  }),
  storeCase('C28: lists the tokens of their owner, newest first, and no more than fit', async ({ store }) => {
    await withToken(store)
    await withToken(store, { createdAt: at(1), maxDevices: null, expiresAt: null, labels: [] }, 't2')
    await withToken(store, { owner: 'bob' }, 't3')
    const idsOf = async (owner: string, limit = 9) =>
      (await store.listEnrollmentTokens(owner, limit)).map(({ id }) => id)
    expectSame(await idsOf('ann'), ['t2', 't1'], 'the tokens of ann')
    expectSame(await idsOf('ann', 1), ['t2'], 'the first of them')
    expectSame(await idsOf('bob'), ['t3'], 'the tokens of bob')
    const full = await store.insertEnrollmentToken(
      tokenOf('t4'),
      { ...tokenLimits, maxTokens: 2 },
      onceOf('k1'),
      [auditOf('a1')],
    )
    expectSame(full, { kind: 'full' }, 'one too many')
    expectSame(await idsOf('ann'), ['t2', 't1'], 'the tokens afterwards')
    const { kind } = await store.insertEnrollmentToken(tokenOf('t4'), tokenLimits, onceOf('k1'))
    expectSame(kind, 'created', 'the same with more room')
  }),
  storeCase('C28: a token of kind auto registers the device of its owner', async ({ store }) => {
    await withToken(store)
    const outcome = await store.enroll(enrollmentOf('e1'), use('e1'), [auditOf('a1')])
    const enrollment = storedEnrollmentOf('e1', {
      status: 'approved',
      owner: 'ann',
      deviceId: 'device-e1',
      codeHash: '',
    })
    expectSame(outcome, { kind: 'created', enrollment }, 'the outcome')
    const device = await store.findDevice('ann', 'device-e1')
    expectSame([device?.key.hash, device?.labels], ['hash-e1', ['site:a']], 'the device')
    const { rows } = await store.listAudit('ann', {}, { limit: 9 }, at(1))
    expectSame(rows.length, 1, 'how many entries the audit has')
    const counted = { used: 1, lastUsedAt: at(0), lastDeviceId: 'device-e1' }
    expectSame(await store.findEnrollmentToken('secret-t1'), tokenOf('t1', counted), 'the token')
    const again = await store.enroll(enrollmentOf('e1'), use('e1b'), [auditOf('a2')])
    expectSame(again, { kind: 'existing', enrollment }, 'a repeat')
    expectSame((await store.findEnrollmentToken('secret-t1'))?.used, 1, 'how often it was used')
  }),
  storeCase('C28: a token admits as many as it may, however many come at once', async ({ store }) => {
    await withToken(store)
    const outcomes = await race((index) => store.enroll(enrollmentOf(`e${index}`), use(`e${index}`)))
    expectSame(outcomes.filter(({ kind }) => kind === 'created').length, 2, 'how many it admitted')
    const refused = outcomes.filter(({ kind }) => kind === 'refused')
    expectSame(refused[0], { kind: 'refused', reason: 'used up' }, 'what the others got')
    expectSame(
      (await store.listDevices('ann', {}, { limit: 9 }, online)).rows.length,
      2,
      'how many devices there are',
    )
    expectSame((await store.findEnrollmentToken('secret-t1'))?.used, 2, 'how often it was used')
    const left = await race(async (index) => (await store.findEnrollment(`e${index}`)) !== undefined)
    expectSame(left.filter(Boolean).length, 2, 'how many enrollments there are')
    const admitted = outcomes.findIndex(({ kind }) => kind === 'created')
    const repeat = await store.enroll(enrollmentOf(`e${admitted}`), use('again'))
    expectSame(repeat.kind, 'existing', 'a repeat of one that it admitted')
  }),
  storeCase('C28: one device that comes many times at once is admitted once', async ({ store }) => {
    await withToken(store)
    const { key } = enrollmentOf('e1')
    const outcomes = await race((index) =>
      store.enroll(enrollmentOf(`e${index}`, { key, codeHash: `code-${index}` }), use(`e${index}`)),
    )
    const devices = outcomes.map((outcome) => ('enrollment' in outcome ? outcome.enrollment.deviceId : ''))
    expectSame(new Set(devices).size, 1, 'how many devices there are')
    expectSame((await store.findEnrollmentToken('secret-t1'))?.used, 1, 'how often it was used')
  }),
  storeCase('C28: a device that waits already is admitted when it comes with a token', async ({ store }) => {
    await withToken(store)
    await store.enroll(enrollmentOf('e1'))
    const outcome = await store.enroll(enrollmentOf('e2', { key: enrollmentOf('e1').key }), use('e1'))
    expectSame(outcome.kind, 'existing', 'the outcome')
    const found = await store.findEnrollment('e1')
    expectSame([found?.status, found?.deviceId], ['approved', 'device-e1'], 'the enrollment')
  }),
  storeCase('C28: a token of kind ask leaves the decision to its owner, and counts it', async ({ store }) => {
    await withToken(store, { approval: 'ask', maxDevices: 1 })
    const outcome = await store.enroll(enrollmentOf('e1'), use('e1'), [auditOf('a1')])
    const waiting = storedEnrollmentOf('e1', { owner: 'ann', tokenId: 't1' })
    expectSame(outcome, { kind: 'created', enrollment: waiting }, 'the outcome')
    expectSame((await store.listAudit('ann', {}, { limit: 9 }, at(1))).rows, [], 'the audit')
    await store.enroll(enrollmentOf('e2'), use('e2'))
    const owners = ['ann', 'bob', null]
    const counts = await Promise.all(owners.map((owner) => store.countPendingEnrollments(owner, at(1))))
    expectSame(counts, [2, 0, 0], 'how many wait with tokens of a user, of another, and without one')
    expectSame(await store.approveEnrollment(approval('e1', 'bob')), { kind: 'unknown' }, 'another user')
    expectSame((await store.approveEnrollment(approval('e1'))).kind, 'approved', 'its owner')
    expectSame((await store.findDevice('ann', 'device-e1'))?.labels, ['site:a'], 'the labels')
    expectSame((await store.findEnrollmentToken('secret-t1'))?.used, 1, 'how often it was used')
    const refused = await store.approveEnrollment(approval('e2'))
    expectSame(refused, { kind: 'refused', reason: 'used up' }, 'the next device')
    expectSame((await store.findEnrollment('e2'))?.status, 'pending', 'its enrollment')
  }),
  storeCase('C28: a token that admits nobody says why, and changes nothing', async ({ store }) => {
    await withToken(store, { expiresAt: at(0) })
    await withToken(store, {}, 't2')
    await store.revokeEnrollmentToken({ ...revocation, id: 't2' })
    const reasonOf = async (token: string) => store.enroll(enrollmentOf('e1'), use('e1', token))
    expectSame(await reasonOf('t1'), { kind: 'refused', reason: 'expired' }, 'an expired one')
    expectSame(await reasonOf('t2'), { kind: 'refused', reason: 'revoked' }, 'a revoked one')
    expectSame(await reasonOf('t3'), { kind: 'refused', reason: 'unknown' }, 'an unknown one')
    expectSame(await store.findEnrollmentByKey('hash-e1'), undefined, 'the enrollment')
  }),
  storeCase('C28: a token is revoked once, by its owner, and remembered for a while', async ({ store }) => {
    await withToken(store)
    const revoke = (owner: string, audit: string) =>
      store.revokeEnrollmentToken({ ...revocation, owner }, [auditOf(audit)])
    expectSame(await revoke('bob', 'a1'), false, 'another user')
    expectSame(await revoke('ann', 'a2'), true, 'its owner')
    expectSame(await revoke('ann', 'a3'), false, 'a second time')
    const { rows } = await store.listAudit('ann', {}, { limit: 9 }, at(1))
    expectSame(
      rows.map(({ id }) => id),
      ['a2'],
      'the audit',
    )
    expectSame(await store.listEnrollmentTokens('ann', 9), [], 'the list')
    const revoked = tokenOf('t1', { revokedAt: at(1) })
    await store.insertEnrollmentToken(tokenOf('t2'), { ...tokenLimits, revokedBefore: at(1) }, undefined)
    expectSame(await store.findEnrollmentToken('secret-t1'), revoked, 'the token')
    await store.insertEnrollmentToken(tokenOf('t3'), { ...tokenLimits, revokedBefore: at(2) }, undefined)
    expectSame(await store.findEnrollmentToken('secret-t1'), undefined, 'the token later')
  }),
]
