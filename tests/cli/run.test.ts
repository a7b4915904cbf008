import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  startWithScripts,
  type TestPlatform,
} from '../../packages/agent-runtime/src/server/testing/start-platform.ts'
import { recordCli, type RecordedOptions } from '../../apps/homeward/src/cli/testing/recorded-cli.ts'

const call = { toolCalls: [{ name: 'time', args: {} }] }
const escaped = 'Hi\u001b]0;Owned\u0007 \u001b[31mthere\u009b2J.'

describe('homeward run', () => {
  let platform: TestPlatform
  let folder: string
  beforeAll(async () => {
    platform = await startWithScripts('over HTTP', {
      looks: [{ text: ['Let me ', 'look.'], ...call }, { text: 'It is noon.' }],
      asks: [call],
      evil: [{ text: escaped, toolCalls: [{ name: 'none\u001b[2J', args: {} }] }, { text: 'Done.' }],
      fails: [{ error: new Error('The model is\u001b[31m down.') }],
      hangs: [
        { text: 'Wait', hang: true },
        { text: 'Wait', hang: true },
      ],
      shapes: [{ text: '{"words":2}' }],
    })
    await platform.send('PUT', '/api/agents/asks', { body: { approval_tools: ['time'] } })
    folder = await mkdtemp(join(tmpdir(), 'run-'))
  })
  afterAll(async () => {
    await platform[Symbol.asyncDispose]()
    await rm(folder, { recursive: true })
  })
  const run = (args: readonly string[], options?: RecordedOptions) =>
    recordCli(['run', '--url', platform.url, ...args], options)

  it('prints the answer on stdout, and tool calls on stderr', async () => {
    const { exitCode, stdout, stderr } = await run(['looks', 'What time is it?'])
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: 'Let me look.\n\nIt is noon.\n' })
    expect(stderr).toMatch(/^✓ time\(\) → /)
  })

  it('reads the task from stdin, and prints the finished run as JSON', async () => {
    const { exitCode, stdout, stderr } = await run(['echo', '-', '--json'], { stdin: 'Hello\n' })
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
    expect(JSON.parse(stdout)).toMatchObject({
      status: 'completed',
      task: 'Hello',
      result: { output: 'Hello' },
    })
  })

  it('lets no escape sequence of a model reach the terminal', async () => {
    const { stdout, stderr } = await run(['evil', 'Hello'])
    expect(stdout).toBe('Hi there.\n\nDone.\n')
    // oxlint-disable-next-line no-control-regex -- these must not be there
    expect(stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/)
  })

  it('exits with 5 when a call waits for approval, and says how to decide', async () => {
    const { exitCode, stderr } = await run(['asks', 'What time is it?'])
    expect(exitCode).toBe(5)
    expect(stderr).toMatch(/Approve time\(\)\?\n {2}POST \/api\/runs\/[\w-]+\/approvals\/[\w-]+/)
    expect(stderr).toMatch(/homeward chat asks --conversation [\w-]+/)
  })

  it('exits with 1 when the run fails, and prints why', async () => {
    const { exitCode, stdout, stderr } = await run(['fails', 'Hello', '--json'])
    expect(exitCode).toBe(1)
    expect(JSON.parse(stdout)).toMatchObject({ status: 'failed' })
    expect(JSON.parse(stderr)).toMatchObject({ error: expect.stringContaining('failed'), exit_code: 1 })
  })

  it('cancels the run on Ctrl-C, and after its time', async () => {
    const interrupt = new AbortController()
    const interrupted = run(['hangs', 'Hello'], { interrupt: interrupt.signal })
    const runs = async () => (await platform.send('GET', '/api/runs?agent_id=hangs')).body.runs
    await expect.poll(async () => (await runs()).length).toBe(1)
    interrupt.abort()
    expect(await interrupted).toMatchObject({ exitCode: 130, stderr: 'The run was canceled.\n' })
    const late = await run(['hangs', 'Hello', '--timeout', '0.2'])
    expect(late).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('longer than 0.2 s') })
    expect((await runs()).map(({ status }: { status: string }) => status)).toEqual(['cancelled', 'cancelled'])
  })

  it('sends files and a schema, and continues a conversation', async () => {
    await writeFile(join(folder, 'my note.txt'), 'A note')
    await writeFile(
      join(folder, 'schema.json'),
      '{"type":"object","properties":{"words":{"type":"integer"}}}',
    )
    const shaped = await run(['shapes', 'Count', '--output-schema', join(folder, 'schema.json'), '--json'])
    const { conversation_id: conversation, result } = JSON.parse(shaped.stdout)
    expect(result.data).toEqual({ words: 2 })
    const args = ['echo', 'Read it', '--file', join(folder, 'my note.txt'), '--json']
    const sent = JSON.parse((await run(args)).stdout)
    const again = await run(['echo', 'More', '--conversation', sent.conversation_id])
    expect(again.stdout).toBe('More\n')
    const { body } = await platform.send('GET', `/api/conversations/${sent.conversation_id}`)
    expect(body.messages).toHaveLength(4)
    expect(body.messages[0].files).toMatchObject([{ name: 'my note.txt', media_type: 'text/plain' }])
    expect(conversation).not.toBe(sent.conversation_id)
  })

  it.each([
    [['nobody', 'Hello'], 1, 'no agent has the id "nobody"'],
    [['echo', ''], 2, 'the task is empty'],
    [['echo', 'Hello', '--file', '/none'], 2, 'it does not exist'],
    [['echo', 'Hello', '--output-schema', '/none'], 2, 'cannot be read'],
    [['echo', 'Hello', '--timeout', 'soon'], 2, 'seconds above 0'],
    [['echo', 'Hello', '--url', 'http://127.0.0.1:9'], 3, 'Start the server'],
  ])('says what is wrong with %j', async (args, code, words) => {
    const { exitCode, stdout, stderr } = await run(args)
    expect({ exitCode, stdout }).toEqual({ exitCode: code, stdout: '' })
    expect(stderr).toContain(words)
  })
})
