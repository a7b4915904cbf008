/** Code whose tests are worth checking, and the tests that must notice when it changes. */
interface MutationPart {
  readonly mutate: readonly string[]
  readonly tests: readonly string[]
  /** `forks` for tests that need a process of their own. @default 'threads' */
  readonly pool?: 'threads' | 'forks'
}

const device = 'packages/device-sdk/src'
const cloud = 'packages/cloud-core/src'
const skills = 'packages/skill-store-client/src'
const runtime = 'packages/agent-runtime/src'
const kit = 'packages/kit/src'

/** Where a fault would be quiet and dear. Each is a run of its own. */
export const parts: Readonly<Record<string, MutationPart>> = {
  'device-back-off': {
    mutate: [
      `${device}/agent/pace/{backoff,hold-limit,pace,retry-schedule}.ts`,
      `${device}/agent/recent-ids.ts`,
    ],
    tests: [`${device}/agent/pace/{backoff,hold-limit,pace,retry-schedule}.test.ts`],
  },
  'remote-back-off': {
    mutate: [`${cloud}/remote/{remote-failure,with-retries}.ts`],
    tests: [`${cloud}/{remote,blobs/drive,blobs/s3}/*.test.ts`],
  },
  'runtime-back-off': {
    mutate: [`${runtime}/channels/delivery/next-step.ts`, `${runtime}/tasks/to-outcome.ts`],
    tests: [`${runtime}/channels/delivery/next-step.test.ts`, `${runtime}/tasks/to-outcome.test.ts`],
  },
  presence: {
    mutate: [`${cloud}/devices/{heartbeat-buffer,heartbeat-operation,merge-metadata,presence}.ts`],
    tests: [`${cloud}/devices/*.test.ts`, 'tests/cloud/devices.test.ts'],
  },
  'settle-once': {
    // not the SQL itself: the conformance kit runs it in a dozen ways, and its changes are hundreds
    mutate: [
      `${cloud}/memory/{search-verbs,upload-verbs,work-table}.ts`,
      `${cloud}/sql/{search,upload}-{plans,row}.ts`,
    ],
    tests: [
      `${cloud}/{memory/work-table,sqlite/expired-work}.test.ts`,
      'scripts/mutation/cases/cloud-work.test.ts',
    ],
  },
  downloads: {
    mutate: [`${cloud}/uploads/{byte-range,download-file}.ts`],
    tests: [
      `${cloud}/uploads/{byte-range,download-file}.test.ts`,
      `${cloud}/host-calls.test.ts`,
      'tests/wire/downloads.test.ts',
    ],
  },
  'host-input': {
    mutate: [
      `${cloud}/{cloud/host-calls,context/check-options}.ts`,
      `${runtime}/host-input/{parse-input,check-options}.ts`,
      `${runtime}/runtime/check-runtime-options.ts`,
      `${kit}/check-options.ts`,
    ],
    tests: [
      `${cloud}/{host-calls,blobs/fs/create-folder-blobs}.test.ts`,
      `${runtime}/host-input/*.test.ts`,
      `${kit}/check-options.test.ts`,
    ],
  },
  'cloud-paging': {
    mutate: [
      `${cloud}/paging/cursor.ts`,
      `${cloud}/memory/sorted-rows.ts`,
      `${cloud}/sql/{list-ranges,page}.ts`,
    ],
    tests: [
      `${cloud}/{memory/sorted-rows,paging/cursor,sql/list-ranges}.test.ts`,
      'scripts/mutation/cases/cloud-work.test.ts',
      'tests/cloud/{audit,devices}.test.ts',
    ],
  },
  'runtime-paging': {
    mutate: [`${runtime}/paging/cursor.ts`],
    tests: [`${runtime}/paging/cursor.test.ts`],
  },
  'store-verbs': {
    mutate: [
      `${runtime}/store/{verbs,verb-events,verb-locks}.ts`,
      `${runtime}/journal/create-journaled-store.ts`,
    ],
    tests: [`${runtime}/store/verbs.test.ts`, `${runtime}/journal/create-journaled-store.test.ts`],
  },
  'sqlite-journal': {
    mutate: [`${runtime}/store/sqlite/journal-plans.ts`],
    tests: [
      `${runtime}/store/sqlite/journal-plans.test.ts`,
      'scripts/mutation/cases/runtime-journal.test.ts',
    ],
  },
  'memory-words': {
    mutate: [`${runtime}/ranking/{to-words,count-word}.ts`],
    tests: [`${runtime}/ranking/to-words.test.ts`],
  },
  leases: {
    mutate: [`${runtime}/leases/create-lease-keeper.ts`, `${runtime}/store/sql/runs/lease-plans.ts`],
    tests: [`${runtime}/leases/*.test.ts`, 'scripts/mutation/cases/runtime-leases.test.ts'],
  },
  'effect-ledger': {
    mutate: [`${runtime}/runs/calls/{effect-ledger,make-calls,plan-calls}.ts`, `${runtime}/runs/continue.ts`],
    tests: [
      `${runtime}/runs/{approvals,calls,recovery}/*.test.ts`,
      `${runtime}/runs/{persistence/run-writer,sub-agents}.test.ts`,
    ],
  },
  'task-attempts': {
    mutate: [`${runtime}/tasks/execute-task.ts`, `${runtime}/concurrency/while-store-fails.ts`],
    tests: [
      `${runtime}/tasks/{execute-task,runs-of-tasks}.test.ts`,
      `${runtime}/concurrency/while-store-fails.test.ts`,
    ],
  },
  'schedule-times': {
    mutate: [`${runtime}/schedules/{cron-times,due-times,next-fire,read-cron,zone-clock}.ts`],
    // not next-occurrence.test.ts: ten years in any zone take seconds, and what they show depends on where chance looks
    tests: [`${runtime}/schedules/{clock-changes,cron-times,due-times,read-cron,zone-clock}.test.ts`],
  },
  'schedule-runs': {
    // not create-schedules.ts, which joins them: its tests let days pass; it is a part of its own
    mutate: [`${runtime}/schedules/{due-list,fire-due,schedule-book,schedule-loop,to-fires}.ts`],
    tests: [`${runtime}/schedules/{due-list,fire-due,schedule-book,schedule-loop,to-fires}.test.ts`],
  },
  schedules: {
    mutate: [`${runtime}/schedules/create-schedules.ts`],
    tests: [
      `${runtime}/schedules/{create-schedules,joining-processes,list-schedules,schedule-signals}.test.ts`,
    ],
  },
  archives: {
    mutate: [`${skills}/archive/*.ts`, `!${skills}/archive/*.test.ts`],
    tests: [`${skills}/archive/*.test.ts`],
  },
  jail: {
    mutate: [`${runtime}/tools/workspace/*.ts`, `!${runtime}/tools/workspace/*.test.ts`],
    // not the races: they take seconds, and what they show does not depend on one line
    tests: [`${runtime}/tools/workspace/*.test.ts`, '!**/race.test.ts'],
  },
  signatures: {
    mutate: [`${runtime}/channels/*/verify-*.ts`, '!**/*.test.ts'],
    tests: [`${runtime}/channels/{fixtures,*/verify-*}.test.ts`, `${runtime}/channels/*/receive-*.test.ts`],
  },
  'user-tokens': {
    mutate: [`${cloud}/oidc/{create-oidc-sessions,signing-keys,verify-token}.ts`],
    tests: [`${cloud}/oidc/*.test.ts`],
  },
}

/** The part that `MUTATION_PART` names. */
export function chosenPart(): MutationPart & { readonly name: string } {
  const name = process.env['MUTATION_PART'] ?? ''
  const part = parts[name]
  if (part === undefined) throw new Error(`Choosing a part failed: there is none named "${name}".`)
  return { name, ...part }
}
