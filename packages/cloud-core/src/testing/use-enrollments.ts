import type { CloudStore } from '../ports/cloud-store.ts'
import { enrollmentOf, tokenLimits, tokenOf } from './enrollment-harness.ts'
import { at, auditOf, onceOf } from './store-harness.ts'

/** Calls every verb of `EnrollmentStore`, so that a test sees all of its statements. */
export async function useEnrollments(store: CloudStore): Promise<void> {
  await store.ensureSecret('codes', 's1')
  await store.insertEnrollmentToken(tokenOf('t1'), tokenLimits, onceOf('k9'), [auditOf('e9')])
  await store.insertEnrollmentToken(tokenOf('t2', { approval: 'ask' }), tokenLimits, undefined)
  await store.findEnrollmentToken('secret-t1')
  await store.listEnrollmentTokens('ann', 9)
  await store.enroll(enrollmentOf('e1', { purgeAt: at(1) }))
  await store.enroll(enrollmentOf('e1', { createdAt: at(2) }))
  await store.enroll(enrollmentOf('e2', { createdAt: at(2) }), { secretHash: 'secret-t1', deviceId: 'd2' })
  await store.enroll(enrollmentOf('e3'), { secretHash: 'secret-t2', deviceId: 'd3' })
  await store.enroll(enrollmentOf('e4'))
  await store.findEnrollment('e3')
  await store.findEnrollmentByKey('hash-e3')
  await store.findEnrollmentByCode('code-e3', at(1))
  await store.countPendingEnrollments('ann', at(1))
  await store.approveEnrollment({ id: 'e3', owner: 'ann', deviceId: 'd3', labels: [], now: at(1) })
  await store.denyEnrollment({ id: 'e4', owner: 'ann', now: at(1), purgeAt: at(9) })
  await store.revokeEnrollmentToken({ owner: 'ann', id: 't2', now: at(1) })
}
