import { mkdir, mkdtemp, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Tool } from '../../ports/tool.ts'
import { createKit } from '../../runs/testing/run-kit.ts'
import { parseToolDefinitions } from '../../skills/definitions/parse-tool-definitions.ts'
import type { LoadedSkill } from '../../skills/skill-library.ts'
import { createHttpClient } from '../http/http-client.ts'
import { prepareWorkspace } from '../workspace/create-workspaces.ts'
import { bubblewrap } from './detect-sandbox.ts'
import { detectLimits } from './exec-limits.ts'
import { createExecTool } from './exec-tool.ts'
import { namespaces } from './namespaces.ts'
import { runProcess } from './run-process.ts'
import type { Sandbox } from './sandbox.ts'
import { canRunCommand } from './can-run-command.ts'

const PATH = process.env['PATH'] ?? ''
const fences: { name: string; sandbox: Sandbox | undefined }[] = [{ name: 'no sandbox', sandbox: undefined }]
for (const sandbox of [bubblewrap, namespaces])
  if (await canRunCommand(['true'], sandbox, PATH)) fences.push({ name: sandbox.kind, sandbox })

let home: string
let folder: string
let workspace: string

beforeEach(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), 'homeward-endings-')))
  folder = join(home, 'skills', 'demo')
  await mkdir(folder, { recursive: true })
  workspace = await prepareWorkspace(home, 'helper')
})
afterEach(() => rm(home, { recursive: true, force: true }))

/** Writes to the workspace for as long as it lives. */
const writer = 'while :; do echo x >> alive; sleep 0.01; done'
const programs = [
  { program: 'has no handler of SIGTERM', script: writer },
  { program: 'ignores SIGTERM', script: `trap '' TERM; ${writer}` },
  {
    program: 'leaves a deaf writer in a session of its own',
    script: `setsid sh -c "trap '' TERM; ${writer}" >/dev/null 2>&1 & sleep 60`,
  },
]

async function execTool(script: string, sandbox: Sandbox | undefined, entry: object = {}): Promise<Tool> {
  await writeFile(join(folder, 'run.sh'), `${script}\n`)
  const head = { id: 'write', description: 'Writes.', type: 'exec', command: ['sh', 'run.sh'] }
  const [definition] = parseToolDefinitions([{ ...head, ...entry }])
  if (definition?.type !== 'exec') throw new Error('no exec tool')
  const about = { id: 'demo', name: 'demo', description: 'Demo.', instructions: '' }
  const skill: LoadedSkill = { ...about, folder, metadata: {}, requiredEnv: [], tools: [] }
  return createExecTool(definition, skill, {
    home,
    environment: { PATH },
    settings: {},
    config: {},
    base: { off: 'none' },
    platformOrigins: [],
    http: createHttpClient(),
    sandboxMode: sandbox ? 'auto' : 'off',
    sandbox: sandbox ? { sandbox } : { reason: 'off' },
    limits: await detectLimits(sandbox, PATH),
    maxResultBytes: 262_144,
    underWay: new Set(),
    now: Date.now,
  })
}

const size = async () => (await stat(join(workspace, 'alive'))).size
const isWriting = () => vi.waitFor(size, { timeout: 60_000 })

async function expectSilence() {
  const before = await size()
  // some of the writer's own intervals
  await runProcess({
    command: ['sleep', '0.2'],
    cwd: home,
    environment: { PATH },
    timeoutMs: 9000,
    maxOutputBytes: 9,
  })
  expect(await size()).toBe(before)
}

const steps = [{ toolCalls: [{ id: 'c', name: 'write' }] }, { text: 'End' }]
const kitOf = (tool: Tool) => createKit({ tools: [tool], steps, workspace: async () => workspace })

describe.each(fences)('in $name', { timeout: 120_000 }, ({ sandbox }) => {
  it.each(programs)(
    'A16: a canceled run has ended when a program that $program is dead',
    async ({ script }) => {
      const kit = kitOf(await execTool(script, sandbox))
      const { runId } = await kit.runs.start({ agent_id: 'helper', task: 'x' })
      await isWriting()
      expect(await kit.runs.cancel(runId)).toMatchObject({ status: 'cancelled' })
      await expectSilence()
    },
  )

  it('A16: a run that reached max_runtime has ended when its program is dead', async () => {
    const kit = kitOf(await execTool(`trap '' TERM; ${writer}`, sandbox))
    expect(await kit.run('x', { limits: { max_runtime: 2 } })).toMatchObject({ stop_reason: 'max_runtime' })
    await expectSilence()
  })

  it('A16: a call that timed out has ended when its program is dead', async () => {
    const tool = await execTool(`(trap '' TERM; ${writer}) & sleep 60`, sandbox, { timeout: 2 })
    const { steps: made } = await kitOf(tool).run()
    expect(made).toMatchObject([{ result: { timedOut: true, exitCode: null } }])
    await expectSilence()
  })

  it('A16: a program that ends by itself leaves no writer behind', async () => {
    const left = `(setsid sh -c '${writer}' </dev/null >/dev/null 2>&1 &); until [ -e alive ]; do sleep 0.01; done`
    expect((await kitOf(await execTool(left, sandbox)).run()).steps).toMatchObject([{ result: { ok: true } }])
    await expectSilence()
  })

  it('A16: SIGTERM ends a program that has no handler, and its own exit code and output stay', async () => {
    const inside = (script: string) => {
      const command = ['sh', '-c', script]
      const request = { command, workspace, readable: [], hidden: [], network: false }
      return sandbox?.wrap(request) ?? { command, wrappers: 0 }
    }
    const more = { cwd: workspace, environment: { PATH }, maxOutputBytes: 1000 }
    const plain = await runProcess({
      ...inside('cat; echo problem >&2; exit 7'),
      ...more,
      input: 'in',
      timeoutMs: 60_000,
    })
    expect([plain.exitCode, plain.stdout.text(99).text, plain.stderr.text(99).text]).toEqual([
      7,
      'in',
      'problem\n',
    ])
    // longer than the test may take: SIGKILL is no help
    const stopped = await runProcess({ ...inside('sleep 600'), ...more, timeoutMs: 1000, graceMs: 500_000 })
    expect(stopped).toMatchObject({ timedOut: true, exitCode: null })
    expect(stopped.stderr.text(99).text).toBe('')
  })
})

it('A8: a run that is given back at a shutdown is let go when its program is dead', async () => {
  const tool = await execTool(`trap '' TERM; ${writer}`, undefined)
  const base = kitOf(tool)
  const kit = createKit({
    store: { ...base.store, isDurable: true },
    tools: [tool],
    steps,
    workspace: async () => workspace,
    closeGraceMs: 100,
  })
  await kit.runs.start({ agent_id: 'helper', task: 'x' })
  await isWriting()
  await kit.runs.close()
  await expectSilence()
})

it('A12: a run that asked another agent has ended when the program of that one is dead', async () => {
  const { createRuntime } = await import('../../runtime/create-runtime.ts')
  const { createScriptedModel } = await import('../../testing/scripted-model.ts')
  const chief = createScriptedModel([
    { toolCalls: [{ name: 'run_agent', args: { agent_id: 'clerk', task: 'Write' } }] },
  ])
  const clerk = createScriptedModel(steps)
  const own: Tool = { ...(await execTool(`trap '' TERM; ${writer}`, undefined)) }
  await using runtime = createRuntime({
    environment: {},
    models: { mine: (id) => (id === 'chief' ? chief : clerk) },
    tools: [{ ...own, execute: (args, context) => own.execute(args, { ...context, workspace }) }],
  })
  await runtime.agents.create({ id: 'chief', model: 'mine/chief' })
  await runtime.agents.create({ id: 'clerk', model: 'mine/clerk' })
  const handle = await runtime.stream({ agent_id: 'chief', task: 'x' })
  await isWriting()
  await runtime.runs.cancel(handle.runId)
  await expectSilence()
  expect(await readFile(join(workspace, 'alive'), 'utf8')).toMatch(/^x\n/)
})
