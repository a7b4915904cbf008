import { expectCode, expectSame, race } from '@homeward/kit/testing'
import type { CloudStore } from '../ports/cloud-store.ts'
import { enrollmentOf, storedEnrollmentOf } from './enrollment-harness.ts'
import type { CloudStoreCase } from './store-harness.ts'
import { at, auditOf, online, storeCase, withDevices } from './store-harness.ts'

const approval = (id: string, owner = 'ann', now = at(1)) => ({
  id,
  owner,
  deviceId: `device-${owner}-${id}`,
  labels: ['room:1'],
  now,
})
const denial = (id: string, owner = 'ann') => ({ id, owner, now: at(1), purgeAt: at(500) })
const actionsOf = async (store: CloudStore, owner = 'ann') =>
  (await store.listAudit(owner, {}, { limit: 9 }, at(1))).rows.map(({ id }) => id)

/** Promises of `EnrollmentStore` about devices that come without a token. */
export const enrollmentCases: readonly CloudStoreCase[] = [
  storeCase('C28: an enrollment is found by id, key and code until it expires', async ({ store }) => {
    const stored = storedEnrollmentOf('e1')
    expectSame(await store.enroll(enrollmentOf('e1')), { kind: 'created', enrollment: stored }, 'the outcome')
    expectSame(await store.findEnrollment('e1'), stored, 'the enrollment')
    expectSame(await store.findEnrollmentByKey('hash-e1'), stored, 'the enrollment of the key')
    expectSame(await store.findEnrollmentByCode('code-e1', at(99)), stored, 'the enrollment of the code')
    expectSame(await store.findEnrollmentByCode('code-e1', at(100)), undefined, 'an expired one')
    expectSame(await store.findEnrollmentByCode('hash-e1', at(1)), undefined, 'another code')
    expectSame(await store.countPendingEnrollments(null, at(99)), 1, 'how many wait')
    expectSame(await store.countPendingEnrollments('ann', at(99)), 0, 'how many wait with tokens of a user')
    expectSame(await store.countPendingEnrollments(null, at(100)), 0, 'how many wait after it expired')
  }),
  storeCase('C28: one key has one enrollment, however many come at once', async ({ store }) => {
    const key = enrollmentOf('e').key
    const outcomes = await race((index) => store.enroll(enrollmentOf(`e${index}`, { key })))
    const ids = outcomes.map((outcome) => ('enrollment' in outcome ? outcome.enrollment.id : ''))
    expectSame(new Set(ids).size, 1, 'how many there are')
    expectSame(outcomes.filter(({ kind }) => kind === 'created').length, 1, 'how many were made')
  }),
  storeCase('C28: one that expired starts again, with its old id and a new code', async ({ store }) => {
    const later = { createdAt: at(100), expiresAt: at(200), purgeAt: at(300) }
    const again = enrollmentOf('e2', { key: enrollmentOf('e1').key, ...later })
    await store.enroll(enrollmentOf('e1'))
    const early = await store.enroll({ ...again, createdAt: at(99) })
    expectSame(early, { kind: 'existing', enrollment: storedEnrollmentOf('e1') }, 'a repeat before that')
    const { purgeAt: _purgeAt, ...shown } = again
    const renewed = { ...storedEnrollmentOf('e1'), ...shown, id: 'e1' }
    expectSame(await store.enroll(again), { kind: 'created', enrollment: renewed }, 'the outcome')
    expectSame(await store.findEnrollmentByCode('code-e1', at(101)), undefined, 'the old code')
    expectSame(await store.findEnrollmentByCode('code-e2', at(101)), renewed, 'the new code')
  }),
  storeCase('C28: no two enrollments have one code', async ({ store }) => {
    await store.enroll(enrollmentOf('e1'))
    await expectCode(
      () => store.enroll(enrollmentOf('e2', { codeHash: 'code-e1' })),
      'CONFLICT',
      'a code that is in use',
    )
    expectSame(await store.findEnrollment('e2'), undefined, 'the second one')
  }),
  storeCase('C28: an approved device is registered with the key that it made', async ({ store }) => {
    await store.enroll(enrollmentOf('e1'))
    const outcome = await store.approveEnrollment({ ...approval('e1'), name: 'Hall' }, [auditOf('a1')])
    const enrollment = storedEnrollmentOf('e1', {
      status: 'approved',
      owner: 'ann',
      deviceId: 'device-ann-e1',
      codeHash: '',
    })
    expectSame(outcome, { kind: 'approved', enrollment }, 'the outcome')
    expectSame(await store.findEnrollment('e1'), enrollment, 'the enrollment')
    const found = await store.findDeviceByKeyHash('hash-e1', at(2))
    const device = {
      id: 'device-ann-e1',
      owner: 'ann',
      name: 'Hall',
      type: 'iot',
      platform: 'linux',
      metadata: { os: 'Debian 13' },
      lastSeenAt: null,
      createdAt: at(1),
      key: { hash: 'hash-e1', hint: 'hw_…e1', sealed: null },
      labels: ['room:1'],
    }
    expectSame(found?.device, device, 'the device')
    const listed = await store.listDevices('ann', {}, { limit: 9 }, online)
    expectSame(listed.rows, [device], 'the devices of the user')
    const again = await store.approveEnrollment(approval('e1'), [auditOf('a2')])
    expectSame(again, { kind: 'approved', enrollment, again: true }, 'a second approval')
    expectSame(await actionsOf(store), ['a1'], 'the audit')
    expectSame(await store.findEnrollmentByCode('code-e1', at(1)), undefined, 'the code afterwards')
    expectSame(await store.countPendingEnrollments(null, at(1)), 0, 'how many wait')
  }),
  storeCase('C28: of several users who approve at once, one gets the device', async ({ store }) => {
    await store.enroll(enrollmentOf('e1'))
    const outcomes = await race((index) => store.approveEnrollment(approval('e1', `user${index}`)))
    expectSame(outcomes.filter(({ kind }) => kind === 'approved').length, 1, 'how many got it')
    expectSame(outcomes.filter(({ kind }) => kind === 'unknown').length, 7, 'how many were told of nothing')
  }),
  storeCase('C28: a denied key stays denied, and only its user sees that', async ({ store }) => {
    await store.enroll(enrollmentOf('e1'))
    const enrollment = storedEnrollmentOf('e1', { status: 'denied', owner: 'ann', codeHash: '' })
    const outcome = await store.denyEnrollment(denial('e1'), [auditOf('a1')])
    expectSame(outcome, { kind: 'denied', enrollment }, 'the outcome')
    const again = await store.denyEnrollment(denial('e1'), [auditOf('a2')])
    expectSame(again, { kind: 'denied', enrollment, again: true }, 'a second denial')
    expectSame(await actionsOf(store), ['a1'], 'the audit')
    const repeat = await store.enroll(enrollmentOf('e1', { createdAt: at(400), expiresAt: at(499) }))
    expectSame(repeat, { kind: 'existing', enrollment }, 'another try')
    const approved = await store.approveEnrollment(approval('e1'))
    expectSame(approved, { kind: 'denied', enrollment, again: true }, 'an approval afterwards')
    expectSame(await store.approveEnrollment(approval('e1', 'bob')), { kind: 'unknown' }, 'that of another')
    expectSame(await store.denyEnrollment(denial('e1', 'bob')), { kind: 'unknown' }, 'the denial of another')
  }),
  storeCase('C28: nobody decides about what expired or never was', async ({ store }) => {
    await store.enroll(enrollmentOf('e1'))
    const late = await store.approveEnrollment(approval('e1', 'ann', at(100)))
    expectSame(late, { kind: 'expired' }, 'a late approval')
    const denied = await store.denyEnrollment({ ...denial('e1'), now: at(100) })
    expectSame(denied, { kind: 'expired' }, 'a late denial')
    expectSame(await store.approveEnrollment(approval('e2')), { kind: 'unknown' }, 'an approval of nothing')
    expectSame(await store.denyEnrollment(denial('e2')), { kind: 'unknown' }, 'a denial of nothing')
  }),
  storeCase('C28: a device that is deleted takes its enrollment with it', async ({ store }) => {
    await store.enroll(enrollmentOf('e1'))
    await store.approveEnrollment(approval('e1'))
    await store.deleteDevice('ann', 'device-ann-e1')
    expectSame(await store.findEnrollment('e1'), undefined, 'the enrollment')
    const again = await store.enroll(enrollmentOf('e2', { key: enrollmentOf('e1').key }))
    expectSame(again.kind, 'created', 'the next enrollment with the key')
  }),
  storeCase('C28: the key of a registered device cannot be approved again', async ({ store }) => {
    await withDevices(store)
    await store.enroll(enrollmentOf('e1', { key: { hash: 'hash-d1', hint: 'hw_…' } }))
    await expectCode(
      () => store.approveEnrollment(approval('e1'), [auditOf('a1')]),
      'CONFLICT',
      'the approval',
    )
    expectSame((await store.findEnrollment('e1'))?.status, 'pending', 'the enrollment')
    expectSame(await actionsOf(store), [], 'the audit')
  }),
  storeCase('C28: what nobody decided about is deleted in time', async ({ store }) => {
    await store.enroll(enrollmentOf('e1'))
    await store.enroll(enrollmentOf('e2'))
    await store.denyEnrollment(denial('e2'))
    await store.enroll(enrollmentOf('e3', { createdAt: at(199), expiresAt: at(299), purgeAt: at(399) }))
    expectSame((await store.findEnrollment('e1'))?.id, 'e1', 'an expired one before its time')
    await store.enroll(enrollmentOf('e4', { createdAt: at(200), expiresAt: at(300), purgeAt: at(400) }))
    expectSame(await store.findEnrollment('e1'), undefined, 'an expired one')
    expectSame((await store.findEnrollmentByKey('hash-e2'))?.status, 'denied', 'a denied one')
    expectSame((await store.findEnrollment('e3'))?.status, 'pending', 'a newer one')
  }),
  storeCase('C28: the storage keeps one secret of a name, whoever comes first', async ({ store }) => {
    const kept = await race((index) => store.ensureSecret('codes', `s${index}`))
    expectSame(new Set(kept).size, 1, 'how many there are')
    expectSame(await store.ensureSecret('codes', 'later'), kept[0], 'the secret later')
    expectSame(await store.ensureSecret('other', 'own'), 'own', 'a secret of another name')
  }),
]
