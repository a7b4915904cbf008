import { execFile } from 'node:child_process'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { startPlatform } from '../../packages/agent-runtime/src/server/testing/start-platform.ts'
import { createTestCloud } from '../cloud/test-cloud.ts'
import { startSuiteServer } from './suite-server.ts'

// The public conformance suite of MCP, `@modelcontextprotocol/conformance`, against the endpoint.

const program = join(
  dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/package.json')),
  'dist/index.js',
)

interface Score {
  readonly passed: number
  readonly failed: number
}

/** Runs every scenario for servers, and reads its summary. */
async function runSuite(url: string): Promise<ReadonlyMap<string, Score>> {
  const args = [program, 'server', '--suite', 'all', '--url', url]
  const output = await promisify(execFile)(process.execPath, args, { maxBuffer: 64 * 1024 * 1024 }).catch(
    // it ends with 1 if any scenario failed
    (error: { stdout?: string; stderr?: string }) => ({
      stdout: error.stdout ?? '',
      stderr: error.stderr ?? '',
    }),
  )
  const lines = `${output.stdout}\n${output.stderr}`.matchAll(/^[✓✗] ([\w-]+): (\d+) passed, (\d+) failed/gm)
  return new Map(
    [...lines].map(([, name = '', passed, failed]) => [
      name,
      { passed: Number(passed), failed: Number(failed) },
    ]),
  )
}

const scenariosOf = (scores: ReadonlyMap<string, Score>, isFine: (score: Score) => boolean) =>
  [...scores].flatMap(([name, score]) => (isFine(score) ? [name] : [])).toSorted()

/** What needs no tool of the suite's own: each server of ours has to pass it. */
const general = [
  'dns-rebinding-protection',
  'http-header-validation',
  'input-required-result-ignore-extra-params',
  'input-required-result-missing-input-response',
  'input-required-result-unsupported-methods',
  'input-required-result-validate-input',
  'ping',
  'sep-2164-resource-not-found',
  'server-initialize',
  'tools-list',
]

/** What the endpoint can do, with the tools of `suite-server.ts`. */
const withTools = [
  'input-required-result-basic-elicitation',
  'input-required-result-multi-round',
  'input-required-result-request-state',
  'input-required-result-result-type',
  'resources-list',
  'resources-read-binary',
  'resources-read-text',
  'tools-call-error',
  'tools-call-image',
  'tools-call-simple-text',
  'tools-call-with-progress',
]

/** Scenarios of which a single check is about something that the endpoint is not. */
const allButOne: Readonly<Record<string, string>> = {
  caching: 'It wants prompts to be listed.',
  'server-stateless': 'It wants a tool that samples the model of the client.',
}

const noSampling = 'Servers of ours ask a person, not the model or the folders of the client.'
const noPrompts = 'The endpoint serves no prompts.'
const noPush = 'The endpoint has no sessions: to clients of older protocols it sends no requests.'
const noTasks = 'Tasks are an extension. A run has an id, and `get_run` reads it.'

/** What the endpoint is not, with the reason. */
const outOfScope: Readonly<Record<string, string>> = {
  'completion-complete': noPrompts,
  'elicitation-sep1034-defaults': noPush,
  'elicitation-sep1330-enums': noPush,
  'http-custom-header-server-validation': 'No argument of a tool is also a header.',
  'input-required-result-basic-list-roots': noSampling,
  'input-required-result-basic-sampling': noSampling,
  'input-required-result-capability-check': noSampling,
  'input-required-result-multiple-input-requests': noSampling,
  'input-required-result-non-tool-request': noPrompts,
  'input-required-result-tampered-state':
    'The state of a run is its id, which a caller may also send as an argument. Each route checks its caller.',
  'json-schema-2020-12': 'Schemas of arguments are made from Zod, so they have the keywords of Zod.',
  'logging-set-level': 'The protocol deprecates logging. Progress says how far a call is.',
  'prompts-get-embedded-resource': noPrompts,
  'prompts-get-simple': noPrompts,
  'prompts-get-with-args': noPrompts,
  'prompts-get-with-image': noPrompts,
  'prompts-list': noPrompts,
  'resources-subscribe': 'Files of a result never change.',
  'resources-templates-read': 'Resources are the files of results, each with its own link.',
  'resources-unsubscribe': 'Files of a result never change.',
  'sep-2640-skills-directory': 'Skills are an extension for servers that publish skills.',
  'sep-2640-skills-enumeration': 'Skills are an extension for servers that publish skills.',
  'sep-2640-skills-manifest': 'Skills are an extension for servers that publish skills.',
  'server-session-lifecycle': noPush,
  'server-sse-multiple-streams': noPush,
  'server-sse-polling': noPush,
  'tasks-capability-negotiation': noTasks,
  'tasks-dispatch-and-envelope': noTasks,
  'tasks-lifecycle': noTasks,
  'tasks-mrtr-composition': noTasks,
  'tasks-mrtr-input': noTasks,
  'tasks-request-headers': noTasks,
  'tasks-request-state-removal': noTasks,
  'tasks-required-task-error': noTasks,
  'tasks-status-notifications': noTasks,
  'tasks-wire-fields': noTasks,
  'tools-call-audio': 'Tools return JSON, pictures and links.',
  'tools-call-elicitation': noPush,
  'tools-call-embedded-resource': 'Tools return JSON, pictures and links.',
  'tools-call-mixed-content': 'Tools return JSON, pictures and links.',
  'tools-call-sampling': noPush,
  'tools-call-with-logging': 'The protocol deprecates logging. Progress says how far a call is.',
}

it('passes every scenario for what the endpoint is, and no scenario is unknown', async () => {
  await using server = await startSuiteServer()
  const scores = await runSuite(server.url)
  const wanted = [...general, ...withTools]
  const all = [...wanted, ...Object.keys(allButOne), ...Object.keys(outOfScope)]
  expect([...scores.keys()].toSorted()).toEqual(all.toSorted())
  const passed = scenariosOf(scores, (score) => score.failed === 0 && score.passed > 0)
  expect(passed).toEqual(expect.arrayContaining(wanted))
  for (const name of Object.keys(allButOne)) expect([name, scores.get(name)?.failed]).toEqual([name, 1])
})

it('passes the general scenarios with the agents and with the devices', async () => {
  await using platform = await startPlatform('over HTTP')
  await platform.runtime.agents.create({ id: 'parrot', model: 'test/echo', description: 'Repeats.' })
  const agents = await runSuite(`${platform.url}/mcp`)
  expect(scenariosOf(agents, ({ failed }) => failed === 0)).toEqual(
    expect.arrayContaining([...general, 'resources-list']),
  )
  await using test = await createTestCloud('memory')
  const server = createServer((request, response) => void test.cloud.node(request, response))
  const { promise: isOpen, resolve: opened } = Promise.withResolvers<void>()
  server.listen(0, '127.0.0.1', opened)
  await isOpen
  const { port } = server.address() as { port: number }
  try {
    const devices = await runSuite(`http://127.0.0.1:${port}/mcp`)
    const served = general.filter((name) => name !== 'sep-2164-resource-not-found') // it has no resources
    expect(scenariosOf(devices, ({ failed }) => failed === 0)).toEqual(expect.arrayContaining(served))
  } finally {
    server.closeAllConnections()
    server.close()
  }
})
