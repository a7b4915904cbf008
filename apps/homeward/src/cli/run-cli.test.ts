import { createServer } from 'node:http'
import { describe, expect, it } from 'vitest'
import type { CliCommand, ConfigureCommand } from './commands.ts'
import { openOutput } from './output.ts'
import { addServerOptions, connectAgents, toServerAddress, type ServerOptions } from './server-options.ts'
import { recordCli } from './testing/recorded-cli.ts'

const configureAsk: ConfigureCommand = (command, cli) => {
  addServerOptions(command).action(async (options: ServerOptions) => {
    const output = openOutput(cli, options)
    output.progress('Asking …')
    const { agents } = await connectAgents(toServerAddress(options, cli.environment)).listAgents({})
    output.result({ total: agents.length }, () => `${output.style('bold', String(agents.length))} agents`)
  })
}

const ask: CliCommand = { name: 'ask', summary: 'Ask.', load: async () => configureAsk }

/** A server that has one answer. */
async function serve(status: number, body: object) {
  const keys: (string | undefined)[] = []
  const server = createServer((request, response) => {
    keys.push(request.headers.authorization)
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  return {
    url: `http://127.0.0.1:${port}`,
    keys,
    [Symbol.asyncDispose]: () => new Promise<void>((done) => server.close(() => done())),
  }
}

const noAgents = { success: true, agents: [] }

describe('homeward', () => {
  it('loads a command only when it is called', async () => {
    const lazy: CliCommand = {
      name: 'lazy',
      summary: 'Is not loaded.',
      load: () => Promise.reject(new Error('it was loaded')),
    }
    const help = await recordCli(['--help'], { commands: [lazy] })
    expect(help).toMatchObject({ exitCode: 0, stderr: '' })
    expect(help.stdout).toMatch(/lazy +Is not loaded[^]*Exit codes:/)
    expect(await recordCli(['lazy'], { commands: [lazy] })).toMatchObject({ exitCode: 1 })
  })

  it('prints the help of one command, however it is asked for', async () => {
    const [first, second] = [
      await recordCli(['help', 'ask'], { commands: [ask] }),
      await recordCli(['ask', '--help'], { commands: [ask] }),
    ]
    expect(first).toEqual(second)
    expect(first.stdout).toContain('--token <token>')
  })

  it.each([[[]], [['unknown']], [['ask', '--unknown']], [['ask', 'extra']], [['ask', '--url', 'ftp://x']]])(
    'exits with 2 for %j',
    async (args) => {
      const { exitCode, stdout, stderr } = await recordCli(args, { commands: [ask] })
      expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
      expect(stderr).not.toBe('')
    },
  )

  it('repeats no value of a mistyped option', async () => {
    const { stderr } = await recordCli(['ask', '--tokn=secret-word'], { commands: [ask] })
    expect(stderr).toContain('--tokn')
    expect(stderr).not.toContain('secret-word')
  })

  it('exits with 3 when no server responds, and says how to start one', async () => {
    const { exitCode, stderr } = await recordCli(['ask'], { commands: [ask], environment: { PORT: '1' } })
    expect(exitCode).toBe(3)
    expect(stderr).toContain('Start the server with "homeward start"')
    expect(stderr).not.toContain('    at ')
  })

  it('exits with 4 for a rejected token, which it does not print', async () => {
    await using server = await serve(401, { error: 'Unauthorized', code: 'unauthorized', message: 'No.' })
    const args = ['ask', '--url', server.url, '--token', 'secret-word', '--json']
    const { exitCode, stdout, stderr } = await recordCli(args, { commands: [ask] })
    expect(server.keys).toEqual(['Bearer secret-word'])
    expect({ exitCode, stdout }).toEqual({ exitCode: 4, stdout: '' })
    expect(JSON.parse(stderr.split('\n').at(-2) ?? '')).toMatchObject({ exit_code: 4 })
    expect(stderr).not.toContain('secret-word')
  })

  it('prints JSON alone with --json, and colors only in a terminal that takes them', async () => {
    await using server = await serve(200, noAgents)
    const args = ['ask', '--url', server.url]
    const print = async (...more: Parameters<typeof recordCli>) => (await recordCli(...more)).stdout
    const commands = [ask]
    expect(await recordCli([...args, '--json'], { commands, isTTY: true })).toMatchObject({
      stdout: '{"total":0}\n',
      stderr: '',
    })
    expect(await recordCli(args, { commands })).toMatchObject({ stdout: '0 agents\n', stderr: 'Asking …\n' })
    expect(await print(args, { commands, isTTY: true })).toBe('\u001B[1m0\u001B[22m agents\n')
    const plain = { commands, isTTY: true, environment: { NO_COLOR: '1' } }
    expect(await print(args, plain)).toBe('0 agents\n')
  })
})
