import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import type { RunEvent } from '@homeward/contract/agent-platform'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createRuntime, RuntimeError, type RuntimeOptions, type Tool } from '../index.ts'
import { createTestStore } from '../testing/create-test-store.ts'
import { createScriptedModel } from '../testing/scripted-model.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'homeward-runtime-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const open = (options: RuntimeOptions = {}) => createRuntime({ environment: {}, ...options })

describe('createRuntime', () => {
  it('runs an agent in three lines, without configuration and without a key', async () => {
    const runtime = createRuntime()
    await runtime.agents.create({ id: 'parrot', model: 'test/echo' })
    expect((await runtime.run({ agent_id: 'parrot', task: 'Hello' })).output).toBe('Hello')
    await runtime.close()
  })

  it('touches nothing before it is used, nor when it is closed unused', async () => {
    const home = join(folder, 'home')
    const environment = new Proxy(
      {},
      { get: () => expect.unreachable(), ownKeys: () => expect.unreachable() },
    )
    const runtime = createRuntime({ home, environment })
    await runtime.close()
    expect(existsSync(home)).toBe(false)
  })

  it('keeps everything in its data home, for this user alone, and finds it again', async () => {
    const home = join(folder, 'home')
    {
      await using runtime = open({ home })
      await runtime.settings.update({ openai_api_key: 'sk-1' })
      await runtime.agents.create({ id: 'writer', model: 'test/echo' })
      await runtime.run({ agent_id: 'writer', task: 'Remember me', conversation_id: 'c' })
      await runtime.memory.write({ agent_id: 'writer', text: 'a fact' })
      await runtime.skills.uploadMarkdown('---\nname: hello\ndescription: Says hello.\n---\nHi')
    }
    const names = await readdir(home)
    expect(names).toEqual(expect.arrayContaining(['agents.db', 'config.json', 'skills']))
    expect((await stat(home)).mode & 0o777).toBe(0o700)
    expect((await stat(join(home, 'config.json'))).mode & 0o777).toBe(0o600)

    await using again = open({ home })
    expect((await again.agents.list()).map(({ id }) => id)).toEqual(['writer'])
    expect((await again.conversations.get('c')).messages.map(({ content }) => content)).toEqual([
      'Remember me',
      'Remember me',
    ])
    expect(await again.memory.search({ q: 'fact' })).toHaveLength(1)
    expect((await again.skills.list()).map(({ id }) => id)).toEqual(['hello'])
    expect(await again.settings.view()).toMatchObject({ has_openai_api_key: true })
    expect(await again.logs.list({ type: 'agent.completed' })).toHaveLength(1)
  })

  it('without a data home leaves nothing behind', async () => {
    const places: string[] = []
    const where: Tool = {
      id: 'where',
      description: 'Tells where.',
      inputSchema: { type: 'object' },
      effects: 'read',
      idempotent: true,
      returnsUntrustedContent: false,
      async execute(_args, { workspace }) {
        places.push(workspace)
        expect(existsSync(workspace)).toBe(true)
        return {}
      },
    }
    const model = createScriptedModel([{ toolCalls: [{ name: 'where' }] }, { text: 'There.' }])
    const runtime = open({ models: { mine: () => model }, tools: [where] })
    await runtime.agents.create({ id: 'a', model: 'mine/any' })
    await runtime.run({ agent_id: 'a', task: 'Where are you?' })
    expect(places).toEqual([expect.stringMatching(/homeward-.*workspaces.a$/)])
    await runtime.close()
    expect(existsSync(join(places[0]!, '..', '..'))).toBe(false)
  })

  it('gives the model results as large as maxResultBytes allows, and cuts larger ones', async () => {
    const give: Tool = {
      id: 'give',
      description: 'Gives a text.',
      inputSchema: { type: 'object' },
      effects: 'read',
      idempotent: true,
      returnsUntrustedContent: false,
      execute: async ({ size }) => 'x'.repeat(Number(size)),
    }
    const calls = [400_000, 700_000].map((size) => ({ name: 'give', args: { size } }))
    const model = createScriptedModel([{ toolCalls: calls }, { text: 'Done.' }])
    await using runtime = open({ models: { mine: () => model }, tools: [give], maxResultBytes: 500_000 })
    await runtime.agents.create({ id: 'a', model: 'mine/any' })
    const { steps } = await runtime.run({ agent_id: 'a', task: 'x' })
    expect(steps).toMatchObject([
      { result: 'x'.repeat(400_000) },
      { result: { truncated: true, text: 'x'.repeat(500_000) } },
    ])
  })

  it('A6: streams what happens, and a loop that is left stops nothing', async () => {
    await using runtime = open()
    await runtime.agents.create({ id: 'a', model: 'test/echo' })
    const { runId, events, result } = await runtime.stream({ agent_id: 'a', task: 'Hello' })
    const seen: RunEvent['event'][] = []
    for await (const { event } of events) {
      seen.push(event)
      if (event === 'start') break
    }
    expect(seen).toEqual(['start'])
    expect(await result).toMatchObject({ success: true, run_id: runId, output: 'Hello' })
    expect((await runtime.runs.find(runId))?.status).toBe('completed')
  })

  it('A5: an aborted signal cancels the run, and maxRuntimeMs is in milliseconds', async () => {
    const until = (signal: AbortSignal | undefined) =>
      new Promise<void>((_resolve, reject) => {
        signal?.addEventListener('abort', () => reject(new Error('aborted')), { once: true })
      })
    const step = { text: 'never', gate: until }
    await using runtime = open({
      models: { mine: () => createScriptedModel([step, step]) },
      retry: { attempts: 0 },
    })
    await runtime.agents.create({ id: 'a', model: 'mine/any' })
    const leaving = new AbortController()
    const running = runtime.run({ agent_id: 'a', task: 'x' }, { signal: leaving.signal })
    runtime.events.once('agent.started', () => leaving.abort())
    expect(await running).toMatchObject({ success: false, stop_reason: 'cancelled' })
    expect(await runtime.run({ agent_id: 'a', task: 'x' }, { maxRuntimeMs: 20 })).toMatchObject({
      stop_reason: 'max_runtime',
    })
  })

  it('A14: tells listeners what the journal holds, after it was written', async () => {
    await using runtime = open()
    await runtime.agents.create({ id: 'a', model: 'test/echo' })
    const told: string[] = []
    const written: Promise<number>[] = []
    runtime.events.on('event', ({ type, runId, data }) => {
      told.push(`${type} ${typeof runId} ${JSON.stringify(data['agent_id'])}`)
      written.push(runtime.logs.list().then((rows) => rows.length))
    })
    await runtime.run({ agent_id: 'a', task: 'x' })
    expect(told).toEqual([
      'agent.started string "a"',
      'model.completed string "a"',
      'agent.completed string "a"',
    ])
    expect((await Promise.all(written))[0]).toBeGreaterThanOrEqual(1)
  })

  it('two runtimes in one process never meet', async () => {
    await using first = open()
    await using second = open()
    await first.agents.create({ id: 'a', model: 'test/echo' })
    const told = vi.fn()
    second.events.on('event', told)
    await first.run({ agent_id: 'a', task: 'x' })
    expect(await second.agents.list()).toEqual([])
    await expect(second.run({ agent_id: 'a', task: 'x' })).rejects.toMatchObject({ code: 'not_found' })
    expect(told).not.toHaveBeenCalled()
  })

  it('refuses what is wrong before anything is started', async () => {
    await using runtime = open()
    await expect(runtime.run({ agent_id: 'a' } as never)).rejects.toThrow('Running an agent failed: "task"')
    // of NaN no comparison holds, and the run would go on
    for (const maxRuntimeMs of [Number.NaN, -1])
      await expect(runtime.run({ agent_id: 'a', task: 'x' }, { maxRuntimeMs })).rejects.toThrow(
        `Starting a run failed: "maxRuntimeMs" must be a number of at least 0, got ${maxRuntimeMs}.`,
      )
    await expect(runtime.stream({ agent_id: '../a', task: 'x' })).rejects.toMatchObject({
      code: 'validation_error',
    })
    expect((await runtime.runs.list()).runs).toEqual([])
  })

  it('close stops what is under way, can be called twice, and ends the runtime', async () => {
    const gate = (signal: AbortSignal | undefined) =>
      new Promise<void>((_resolve, reject) => {
        signal?.addEventListener('abort', () => reject(new Error('aborted')), { once: true })
      })
    const runtime = open({ models: { mine: () => createScriptedModel([{ text: 'never', gate }]) } })
    await runtime.agents.create({ id: 'a', model: 'mine/any' })
    const { result } = await runtime.stream({ agent_id: 'a', task: 'x' })
    await Promise.all([runtime.close(), runtime.close()])
    expect(await result).toMatchObject({ success: false })
    await expect(runtime.agents.list()).rejects.toSatisfy(
      (error) => RuntimeError.is(error) && error.code === 'closed',
    )
    await expect(runtime.run({ agent_id: 'a', task: 'x' })).rejects.toMatchObject({ code: 'closed' })
  })

  it('says what is wrong with its data home, and opens once it is put right', async () => {
    const home = join(folder, 'file')
    const { writeFile } = await import('node:fs/promises')
    await writeFile(home, 'x')
    await using runtime = open({ home })
    await expect(runtime.agents.list()).rejects.toMatchObject({ code: 'storage_error' })
    await rm(home)
    expect(await runtime.agents.list()).toEqual([])
  })

  it('takes the store of a host, and shows no key when it is looked at', async () => {
    const store = createTestStore()
    await using runtime = createRuntime({ store, environment: { OPENAI_API_KEY: 'sk-hidden-hidden' } })
    await runtime.agents.create({ id: 'a', model: 'test/echo' })
    expect(await store.findAgent('a')).toMatchObject({ id: 'a' })
    await runtime.settings.read()
    expect(inspect(runtime, { depth: 12, showHidden: true })).not.toContain('sk-hidden')
  })
})
