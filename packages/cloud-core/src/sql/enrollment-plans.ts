import { all, each, first, emit, Undo } from '@homeward/kit/sql'
import type { Kysely } from 'kysely'
import type { NewAuditEntry } from '../ports/audit-store.ts'
import type {
  DecisionOutcome,
  EnrollmentApproval,
  EnrollOutcome,
  NewEnrollment,
  StoredEnrollment,
} from '../ports/enrollment-store.ts'
import type { CloudPlanParts } from './cloud-plans.ts'
import type { DevicePlans } from './device-plans.ts'
import {
  type Admission,
  type EnrollmentRow,
  type EnrollmentTokenRow,
  mayUseToken,
  refusalOf,
  toAdmittedDevice,
  toApproval,
  toDecided,
  toDenial,
  toEnrollmentRow,
  toStoredEnrollment,
  toUse,
} from './enrollment-row.ts'
import { createEnrollmentStatements } from './enrollment-statements.ts'
import { createEnrollmentTokenPlans } from './enrollment-token-plans.ts'
import { createEnrollmentTokenStatements } from './enrollment-token-statements.ts'
import type { Plan } from './plan.ts'
import type { CloudTables } from './schema.ts'

/** More than one goes for each that comes, so the table stays bounded. */
const purgeAtOnce = 16

/** The verbs of `EnrollmentStore` as plans. Rows are locked in one order: the enrollment, then its token. */
export function createEnrollmentPlans(
  db: Kysely<CloudTables>,
  parts: CloudPlanParts,
  devices: Pick<DevicePlans, 'insertDevice'>,
) {
  const { locks } = parts.dialect
  const statements = createEnrollmentStatements(db, locks)
  const tokens = createEnrollmentTokenStatements(db, locks)
  return {
    ...createEnrollmentTokenPlans(db, tokens, parts),
    ...createReadPlans(statements),
    ...createDecisionPlans({ statements, tokens, admit: createAdmit(statements, tokens, devices) }, parts),
  }
}

type Statements = ReturnType<typeof createEnrollmentStatements>
type TokenStatements = ReturnType<typeof createEnrollmentTokenStatements>
type Admit = (
  row: EnrollmentRow,
  token: EnrollmentTokenRow | undefined,
  admission: Admission,
  audit: readonly NewAuditEntry[] | undefined,
) => Plan<StoredEnrollment>

/** Registers the device of an enrollment, and counts it for its token. */
function createAdmit(
  statements: Statements,
  tokens: TokenStatements,
  { insertDevice }: Pick<DevicePlans, 'insertDevice'>,
): Admit {
  return function* admit(row, token, admission, audit) {
    const device = toAdmittedDevice(row, token, admission)
    yield* insertDevice(device, undefined, audit)
    const decided = yield* first(statements.decide, { id: row.id, ...toApproval(device) })
    if (token) yield* all(tokens.use, { id: token.id, ...toUse(token, device.id, admission.now) })
    yield* emit({ topic: 'keys', hashes: [row.keyHash] })
    yield* emit({ topic: 'work', deviceIds: [row.id] })
    return toStoredEnrollment(decided!) // its row is locked
  }
}

function createReadPlans(statements: Statements) {
  const toFound = (row: EnrollmentRow | undefined) =>
    row === undefined ? undefined : toStoredEnrollment(row)
  return {
    *findEnrollment(id: string): Plan<StoredEnrollment | undefined> {
      return toFound(yield* first(statements.find, { id }))
    },
    *findEnrollmentByKey(keyHash: string): Plan<StoredEnrollment | undefined> {
      return toFound(yield* first(statements.findByKey, { keyHash }))
    },
    *findEnrollmentByCode(codeHash: string, now: string): Plan<StoredEnrollment | undefined> {
      return toFound(yield* first(statements.findByCode, { codeHash, now }))
    },
    *countPendingEnrollments(owner: string | null, now: string): Plan<number> {
      return (yield* first(statements.count, { owner, now }))?.count ?? 0
    },
  }
}

interface DecisionParts {
  readonly statements: Statements
  readonly tokens: TokenStatements
  readonly admit: Admit
}

function createDecisionPlans(
  { statements, tokens, admit }: DecisionParts,
  { appendAudit }: Pick<CloudPlanParts, 'appendAudit'>,
) {
  function* useToken(
    row: EnrollmentRow,
    { secretHash, deviceId }: { readonly secretHash: string; readonly deviceId: string },
    now: string,
    audit: readonly NewAuditEntry[] | undefined,
  ): Plan<StoredEnrollment> {
    const token = yield* first(tokens.findToUse, { secretHash })
    const reason = refusalOf(token, now)
    if (reason !== undefined) throw new Undo<EnrollOutcome>({ kind: 'refused', reason })
    if (!mayUseToken(row, token!)) return toStoredEnrollment(row)
    const { owner, id: tokenId, approval } = token!
    if (approval === 'auto') return yield* admit(row, token, { owner, deviceId, now }, audit)
    return toStoredEnrollment((yield* first(statements.attach, { id: row.id, owner, tokenId })) ?? row)
  }

  return {
    *enroll(
      enrollment: NewEnrollment,
      token?: { readonly secretHash: string; readonly deviceId: string },
      audit?: readonly NewAuditEntry[],
    ): Plan<EnrollOutcome> {
      const made = yield* first(statements.insert, toEnrollmentRow(enrollment))
      // The insert has locked the row that it met, so it is there.
      const row = made ?? (yield* first(statements.findByKeyToDecide, { keyHash: enrollment.key.hash }))!
      const kind = made === undefined ? 'existing' : 'created'
      const isDone = token === undefined || row.status !== 'pending'
      const stored = isDone
        ? toStoredEnrollment(row)
        : yield* useToken(row, token, enrollment.createdAt, audit)
      if (made !== undefined) {
        const limit = purgeAtOnce
        const purged = yield* all(statements.findPurged, { now: enrollment.createdAt, limit })
        if (purged.length > 0) yield* each(statements.delete, purged)
      }
      return { kind, enrollment: stored }
    },

    *approveEnrollment(
      approval: EnrollmentApproval,
      audit?: readonly NewAuditEntry[],
    ): Plan<DecisionOutcome> {
      const row = yield* first(statements.findToDecide, { id: approval.id })
      const decided = toDecided(row, approval)
      if (decided !== undefined || row === undefined) return decided ?? { kind: 'unknown' }
      const token = row.tokenId === null ? undefined : yield* first(tokens.findByIdToUse, { id: row.tokenId })
      const reason = row.tokenId === null ? undefined : refusalOf(token, approval.now)
      if (reason !== undefined) return { kind: 'refused', reason }
      return { kind: 'approved', enrollment: yield* admit(row, token, approval, audit) }
    },

    *denyEnrollment(
      denial: { id: string; owner: string; now: string; purgeAt: string },
      audit?: readonly NewAuditEntry[],
    ): Plan<DecisionOutcome> {
      const row = yield* first(statements.findToDecide, { id: denial.id })
      const decided = toDecided(row, denial)
      if (decided !== undefined || row === undefined) return decided ?? { kind: 'unknown' }
      const denied = yield* first(statements.decide, {
        id: row.id,
        ...toDenial(denial.owner, denial.purgeAt),
      })
      yield* appendAudit(audit)
      yield* emit({ topic: 'work', deviceIds: [row.id] })
      return { kind: 'denied', enrollment: toStoredEnrollment(denied!) } // its row is locked
    },
  }
}
