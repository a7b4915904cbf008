import { runStep } from './run-step.ts'

/** Tests that are shortened where everything runs together, with what makes them whole. */
const long: readonly (readonly [
  name: string,
  paths: readonly string[],
  environment: Record<string, string>,
])[] = [
  ['a fleet of 10,000 devices', ['tests/simulate'], { FLEET_DEVICES: '10000' }],
  ['chaos', ['tests/chaos'], { CHAOS_SECONDS: '240', CHAOS_PROCESSES: '5' }],
  [
    'several servers on one database',
    ['tests/platform/several-servers.test.ts'],
    { SEVERAL_SERVERS_SECONDS: '120' },
  ],
  [
    'a crash at every point',
    [
      'packages/agent-runtime/src/testing/crash-kit.test.ts',
      'packages/agent-runtime/src/store/postgres/crash-kit.test.ts',
      'packages/cloud-core/src/sqlite/crash-kit.test.ts',
      'packages/cloud-core/src/postgres/crash-kit.test.ts',
    ],
    { CRASH_POINTS_EVERY: '1' },
  ],
  [
    'every page in both themes, and 100,000 events',
    ['tests/dashboard'],
    { DASHBOARD_PAGES: 'all', LOG_EVENTS: '101000' },
  ],
  ['requests drawn from the documents', ['tests/fuzz'], { FUZZ_RUNS: '20000' }],
]

const failed: string[] = []
for (const [name, paths, environment] of long) {
  console.log(
    `\n>> ${name}: ${Object.entries(environment)
      .map((pair) => pair.join('='))
      .join(' ')}`,
  )
  Object.assign(process.env, environment)
  if ((await runStep('vitest', ['run', ...paths])) !== 0) failed.push(name)
}
console.log(failed.length === 0 ? '\nEvery long test passed.' : `\nFailed: ${failed.join(', ')}`)
process.exitCode = failed.length === 0 ? 0 : 1
