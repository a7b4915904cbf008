import { stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ScriptedResponse } from '../../packages/agent-runtime/src/testing/scripted-model.ts'
import {
  startWithScripts,
  type TestPlatform,
} from '../../packages/agent-runtime/src/server/testing/start-platform.ts'
import { recordCli } from '../../apps/homeward/src/cli/testing/recorded-cli.ts'
import { createHome } from '../server/server-process.ts'
import { keys, openTerminal, type TestTerminalOptions } from './terminal.ts'

const call = { toolCalls: [{ name: 'memory_write', args: { text: 'It is noon' } }] }
const markdown =
  '# Title\n\nA **bold** word and a paragraph that is longer than forty columns.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n'

/** Lets go of a model that holds back the rest of its answer. */
function createGate() {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { open: resolve, gate: () => promise }
}

describe('homeward chat', () => {
  let home: Awaited<ReturnType<typeof createHome>>
  let platform: TestPlatform
  beforeEach(async () => {
    home = await createHome()
  })
  afterEach(async () => {
    await platform[Symbol.asyncDispose]()
    await home[Symbol.asyncDispose]()
  })

  async function start(script: readonly ScriptedResponse[], agent: object = {}): Promise<void> {
    platform = await startWithScripts('over HTTP', { helper: script })
    await platform.send('PUT', '/api/agents/helper', { body: agent })
  }
  const open = (args: readonly string[] = ['helper'], options: TestTerminalOptions = {}) => {
    const environment = { HOMEWARD_HOME: home.path, ...options.environment }
    return openTerminal(['chat', ...args, '--url', platform.url], { ...options, environment })
  }
  const runs = async () => (await platform.send('GET', '/api/runs?agent_id=helper')).body.runs

  it('shows text while it arrives, calls on one line, and leaves with Ctrl+C', async () => {
    const { open: release, gate } = createGate()
    await start([
      { reasoning: 'Let me think.', text: ['I will ', 'look.'], ...call },
      { gate, text: 'It is noon.' },
    ])
    await using terminal = open()
    await terminal.shows('Talking to helper.')
    terminal.type(`What time is it?${keys.enter}`)
    await terminal.shows(
      /> What time is it\?[^]*∴ Thought: Let me think[^]*I will look\.[^]*✓ memory_write\(text: "It is noon"\) →/,
    )
    await terminal.shows('helper · working… Ctrl+C stops')
    release()
    await terminal.shows(/It is noon\.[^]*helper · \/help/)
    terminal.type(keys.ctrlC)
    expect(await terminal.ended()).toBe(0)
    expect(terminal.text()).toMatch(/Continue with: homeward chat helper --conversation/)
  })

  it('asks before a call: d shows it, y approves it, and n denies it', async () => {
    await start([call, { text: 'It is noon.' }, call, { text: 'Then not.' }], {
      approval_tools: ['memory_write'],
    })
    await using terminal = open()
    await terminal.shows('Talking')
    terminal.type(`Time?${keys.enter}`)
    await terminal.shows(/Approve memory_write\(text: "It is noon"\)\?\s+y approve · n deny · d details/)
    terminal.type('d')
    await terminal.shows(/memory_write would be called with:\s+\{\s+"text": "It is noon"/)
    terminal.type('y')
    await terminal.shows(/✓ memory_write[^]*It is noon\./)
    terminal.type(`Again?${keys.enter}`)
    await terminal.shows(/Again\?[^]*Approve memory_write/)
    terminal.type('n')
    await terminal.shows(/✗ memory_write[^]*Then not\./)
  })

  it('continues the conversation of a run that waits for approval, as homeward run says', async () => {
    await start([call, { text: 'It is noon.' }], { approval_tools: ['memory_write'] })
    const waits = await recordCli(['run', 'helper', 'Time?', '--url', platform.url])
    expect(waits.exitCode).toBe(5)
    const [, args] = /homeward chat ([^"]+)/.exec(waits.stderr) ?? []
    await using terminal = open(args?.split(' '))
    await terminal.shows(/> Time\?[^]*Approve memory_write/)
    terminal.type('y')
    await terminal.shows(/✓ memory_write[^]*It is noon\./)
  })

  it('stops the run on the server with /stop, and with the first Ctrl+C', async () => {
    const hanging = { text: 'Wait', hang: true }
    await start([hanging, hanging])
    await using terminal = open()
    await terminal.shows('Talking')
    terminal.type(`One${keys.enter}`)
    await terminal.shows('Wait')
    terminal.type(`/stop${keys.enter}`)
    await terminal.shows(/Stopped\./)
    terminal.type(`Two${keys.enter}`)
    await terminal.shows(/> Two[^]*Wait[^]*working…/)
    terminal.type(keys.ctrlC)
    await terminal.shows(/> Two[^]*Stopped\.[^]*helper · \/help/)
    expect((await runs()).map(({ status }: { status: string }) => status)).toEqual(['cancelled', 'cancelled'])
  })

  it('fits into 40 columns, and follows a new size', async () => {
    await start([{ text: markdown }])
    await using terminal = open(['helper'], { columns: 40, rows: 20 })
    await terminal.shows('Talking')
    terminal.type(`Show it${keys.enter}`)
    await terminal.shows(
      /A bold word and a paragraph that is\s*\n\s*longer than forty columns\.[^]*│ 1 {1,3}│ 2/,
    )
    terminal.resize(70, 20)
    await terminal.shows(/A bold word and a paragraph that is longer than forty columns\./)
    expect(terminal.written()).not.toContain('\u001b[3J') // it would erase earlier work
    await expect.poll(() => terminal.text().split('─'.repeat(70)).length).toBeGreaterThan(2)
  })

  it('sends what was pasted, and lines by Alt+Enter or a backslash, as one message', async () => {
    await start([{ text: 'Read.' }, { text: 'Read again.' }])
    await using terminal = open()
    await terminal.shows('Talking')
    terminal.type('\u001b[200~first\nsecond\u001b[201~')
    terminal.type(`${keys.altEnter}third\\`)
    terminal.type(keys.enter)
    terminal.type('fourth')
    terminal.type(keys.enter)
    await terminal.shows('Read.')
    expect((await runs())[0].task).toBe('first\nsecond\nthird\nfourth')
    terminal.type(keys.up)
    await terminal.shows(/─\nfirst/)
    terminal.type(keys.enter)
    await terminal.shows('Read again.')
    expect((await stat(join(home.path, 'chat-history'))).mode & 0o777).toBe(0o600)
  })

  it('attaches files that are dropped, and continues a conversation', async () => {
    await start([{ text: 'Nice.' }, { text: 'Still there.' }])
    const path = join(home.path, 'my photo.txt')
    await writeFile(path, 'A photo')
    await using terminal = open()
    await terminal.shows('Talking')
    terminal.type(path.replaceAll(' ', '\\ '))
    terminal.type(keys.enter)
    await terminal.shows('attached: my photo.txt')
    terminal.type(`What is this?${keys.enter}`)
    await terminal.shows(/> What is this\?\s*\n▪ my photo\.txt[^]*Nice\./)
    terminal.type(`/new${keys.enter}`)
    await terminal.shows('New conversation with helper.')
    terminal.type(`/history${keys.enter}`)
    await terminal.shows(/1\. What is this\?, just now, 2 messages/)
    terminal.type(`/history 1${keys.enter}`)
    await terminal.shows(/Continue one with[^]*> What is this\?[^]*Nice\./)
    terminal.type(`More${keys.enter}`)
    await terminal.shows('Still there.')
    const ids = (await runs()).map((run: { conversation_id: string }) => run.conversation_id)
    expect(new Set(ids).size).toBe(1)
  })

  it('lets no escape sequence of a model, a tool or a title reach the terminal', async () => {
    const evil =
      '\u001b]0;Owned\u0007\u001b]52;c;eA==\u0007\u001b[2J[x](http://evil.example) &#27;]0;Owned&#7;'
    const tool = { toolCalls: [{ name: 'memory_write', args: { text: evil } }] }
    await start([{ text: `Hi ${evil}`, ...tool }, { text: 'Done.' }], { approval_tools: ['memory_write'] })
    await using terminal = open()
    await terminal.shows('Talking')
    terminal.type(`Hello${keys.enter}`)
    await terminal.shows('Approve memory_write')
    terminal.type('d')
    await terminal.shows('would be called')
    terminal.type('y')
    await terminal.shows('Done.')
    expect(terminal.title()).toBe('')
    // oxlint-disable-next-line no-control-regex -- these must not be there
    expect(terminal.written()).not.toMatch(/\u001b\](?:52;|0;|8;;http)/)
  })

  it('prints lines only with TERM=dumb, and no color with NO_COLOR', async () => {
    await start([call, { text: 'It is **noon**.' }], { approval_tools: ['memory_write'] })
    await using terminal = open(['helper'], { columns: 120, environment: { TERM: 'dumb' } })
    await terminal.shows('Talking')
    terminal.type('Time?\n')
    await terminal.shows('Type y (approve), n (deny) or d (details), then Enter.')
    terminal.type('y\n')
    await terminal.shows(/✓ memory_write[^]*It is \*\*noon\*\*\./)
    terminal.type('/quit\n')
    expect(await terminal.ended()).toBe(0)
    expect(terminal.written()).not.toContain('\u001b')
    await using other = open(['helper'], { environment: { NO_COLOR: '1' } })
    await other.shows('Talking')
    // oxlint-disable-next-line no-control-regex -- sequences that set a style, but for the cursor's
    expect(other.written()).not.toMatch(/\u001b\[(?:[1-69]|[349]\d)m/)
  })
})
