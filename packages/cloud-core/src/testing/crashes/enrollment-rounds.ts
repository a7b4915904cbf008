import type { CloudStore } from '../../ports/cloud-store.ts'
import { enrollmentOf, tokenLimits, tokenOf } from '../enrollment-harness.ts'
import { at, auditOf, onceOf } from '../store-harness.ts'
import { act, type Act } from './act.ts'

const audit = (id: string, userId = 'ann') => [auditOf(id, { subjectId: id, userId })]
const approve = (owner: string) =>
  act(`let e1 be approved by ${owner}`, (store) =>
    store.approveEnrollment(
      { id: 'e1', owner, deviceId: `e1-of-${owner}`, labels: ['x'], now: at(1) },
      audit(`e1-${owner}`, owner),
    ),
  )
const enrollByToken = (id: string) =>
  act(`enroll ${id} by a token`, (store) =>
    store.enroll(enrollmentOf(id), { secretHash: 'secret-t1', deviceId: `device-${id}` }, audit(id)),
  )

/** How devices are let in, round by round: a token with room for one of two, and two users who want the same device. */
export const enrollmentRounds: readonly (readonly Act[])[] = [
  [act('keep a secret', (store) => store.ensureSecret('codes', 's1'))],
  [
    act('insert the token t1', (store) =>
      store.insertEnrollmentToken(tokenOf('t1', { maxDevices: 1 }), tokenLimits, onceOf('k9'), audit('t1')),
    ),
  ],
  [act('enroll e1', (store) => store.enroll(enrollmentOf('e1')))],
  [enrollByToken('e2'), enrollByToken('e3')],
  [approve('ann'), approve('bob')],
  [act('enroll e4', (store) => store.enroll(enrollmentOf('e4')))],
  [
    act('deny e4', (store) =>
      store.denyEnrollment({ id: 'e4', owner: 'ann', now: at(1), purgeAt: at(900) }, audit('e4')),
    ),
  ],
  [
    act(
      'revoke the token t1',
      (store) => store.revokeEnrollmentToken({ owner: 'ann', id: 't1', now: at(2) }, audit('t1-revoked')),
      false,
    ),
  ],
]

/** Everything that can be seen of what these rounds write. */
export async function lookAtEnrollments(store: CloudStore): Promise<unknown> {
  return Promise.all([
    ...['e1', 'e2', 'e3', 'e4'].map((id) => store.findEnrollment(id)),
    ...['device-e2', 'device-e3', 'e1-of-ann'].map((id) => store.findDevice('ann', id)),
    store.findDevice('bob', 'e1-of-bob'),
    store.findEnrollmentToken('secret-t1'),
    store.listEnrollmentTokens('ann', 9),
    store.listAudit('bob', {}, { limit: 9 }, at(3)),
  ])
}
