import { globSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { SlowestFirst } from './tests/slowest-first.ts'

// the source of the other packages, not their builds: tests need no build
const conditions = ['@homeward/source']

/** What drives a browser. `npm run test:long` runs it. */
const browser = ['tests/dashboard/**/*.test.ts']

/** What takes long by nature: kills again and again, whole servers, fleets. `npm run test:long` runs it. */
const long = [
  'tests/upgrades/*.test.ts',
  '**/{channel-store-conformance,cloud-store-conformance,crash-kit,exec-endings,runtime-store-conformance,two-databases,store-properties,filter-properties,task-properties}.test.ts',
  'apps/homeward/src/{backup/backup,cli/doctor/run-doctor}.test.ts',
  'packages/*/src/**/postgres/{create-postgres-store,failures,growth,many-processes,pgbouncer,query-plans,rows-read,two-stores}.test.ts',
  'packages/device-sdk/src/node/file-index/{hostile-files,index-crash}.test.ts',
  // hundreds of random cases, programs that are ended, drives and peers that misbehave
  'packages/agent-runtime/src/tools/exec/{exec-tool,exec-limits,sandboxes}.test.ts',
  'packages/agent-runtime/src/{json-schema/event-loop,server/access/users-property,store/postgres/runtimes,tools/mcp/create-mcp-servers,tools/workspace/race}.test.ts',
  'packages/cloud-core/src/{blobs/drive/misbehaving-drive,blobs/s3/misbehaving-s3,sql/group-counts}.test.ts',
  'packages/device-sdk/src/node/{file-index/index-contents,outbox/folder-lock}.test.ts',
  'packages/kit/src/{cron/next-occurrence,documents/create-document-reader}.test.ts',
  'apps/homeward/src/server/event-server.test.ts',
  'tests/cloud/catalogs.test.ts',
  'tests/device/end-agent.test.ts',
  'tests/fuzz/*.test.ts',
  'tests/packages/optional-peers.test.ts',
  'tests/wire/ofetch-instances.test.ts',
  'examples/hosts/hosts.test.ts',
  'tests/cloud/{retention-load,strangers}.test.ts',
  'tests/conformance/**/*.test.ts',
  'tests/{chaos,cli,runtimes,simulate}/**/*.test.ts',
  'tests/device/{consent,enrollment,executable,kill-agent,large-upload,resume-upload}.test.ts',
  'tests/docs/{code-blocks,public-comments,python-device}.test.ts',
  'tests/{mcp,webhooks}/kill.test.ts',
  'tests/mcp/{client-suite,stdio,suite}.test.ts',
  'tests/packed/**/*.test.ts',
  'tests/platform/{access,channel-access,channel-approvals,channel-files,channel-links,channel-questions,channel-sends,channels,context-window,crash,deferred-tools,events,files,hosted-tools,kill,restart,scopes,several-servers,shutdown,trial,work-that-waits}.test.ts',
  'tests/server/{bad-http,cloud-on-postgres,crash,shutdown}.test.ts',
]

/**
 * Who takes hold of the clock, of modules, of `fetch` or of the whole process, or looks at its memory, gets a process of its
 * own: what another file has left running would show there, and what it does itself would show elsewhere.
 */
const holdsProcess =
  /useFakeTimers|registerHooks|vi\.(?:mock|doMock|stub)|from 'msw|opentelemetry|memoryUsage|cpuUsage|process\.(?:on|once|chdir|exitCode)\b/

const tests = globSync(
  ['{packages,apps}/*/src/**/*.test.ts', 'examples/**/*.test.ts', 'tests/**/*.test.ts'],
  {
    cwd: import.meta.dirname,
    exclude: (path) => /(?:^|\/)node_modules$/.test(path),
  },
)
const apart = tests.filter((path) => holdsProcess.test(readFileSync(join(import.meta.dirname, path), 'utf8')))

/** A second one works while a file waits, also on two cores. */
const workers = Math.max(2, availableParallelism() - 1)

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    maxWorkers: workers,
    sequence: { sequencer: SlowestFirst },
    // the others make nothing until a test asks for a Postgres server, or starts a server as a process
    globalSetup: ['tests/compile-cache.ts', 'tests/postgres/on-demand.ts', 'tests/server/build-on-demand.ts'],
    restoreMocks: true,
    unstubEnvs: true,
    unstubGlobals: true,
    // Limits are for what never ends: a machine that is slow and busy passes every test.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Real processes, sockets and random inputs by the thousand: one bad second of a busy machine is not a fault.
    retry: process.env['CI'] ? 1 : 0,
    expect: { poll: { timeout: 60_000 } },
    // concurrent cases start processes; two at a time keep a machine with two cores usable
    maxConcurrency: 2,
    projects: [
      {
        extends: true,
        test: {
          name: 'quick',
          include: tests,
          exclude: [...long, ...browser, ...apart],
          // A process takes file after file. Starting one, and loading everything anew, costs more than most files.
          isolate: false,
          setupFiles: ['tests/leaves-nothing.ts'],
        },
      },
      { extends: true, test: { name: 'apart', include: apart, exclude: [...long, ...browser] } },
      {
        extends: true,
        test: {
          name: 'long',
          include: long,
          // Many of these files wait for real processes and leases: one more worker works meanwhile.
          maxWorkers: workers + 1,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'browser',
          include: browser,
          sequence: { groupOrder: 2 },
          // As above: loading the servers and Playwright anew costs more than starting them.
          isolate: false,
          setupFiles: ['tests/leaves-nothing.ts'],
        },
      },
    ],
  },
})
