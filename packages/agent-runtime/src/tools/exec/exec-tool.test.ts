import {
  chmod,
  mkdir,
  mkdtemp,
  readFile,
  readdir,
  realpath,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { homedir, tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { toolContextOf } from '../testing/tool-context.ts'
import type { ToolContext } from '../../ports/tool.ts'
import { parseToolDefinitions } from '../../skills/definitions/parse-tool-definitions.ts'
import type { LoadedSkill } from '../../skills/skill-library.ts'
import { createHttpClient } from '../http/http-client.ts'
import type { SkillToolContext } from '../skill-tool-context.ts'
import { toTool } from '../create-agent-tools.ts'
import { prepareWorkspace } from '../workspace/create-workspaces.ts'
import { bubblewrap } from './detect-sandbox.ts'
import { canRunCommand } from './can-run-command.ts'
import { detectLimits } from './exec-limits.ts'
import { namespaces } from './namespaces.ts'
import { sandboxExec } from './detect-sandbox.ts'
import type { Sandbox } from './sandbox.ts'

let home: string
let folder: string
let workspace: string
const working: Sandbox[] = []
for (const sandbox of [bubblewrap, namespaces, sandboxExec]) {
  if (await canRunCommand(['true'], sandbox, process.env['PATH'] ?? '')) working.push(sandbox)
}
const PATH = process.env['PATH']

beforeEach(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), 'homeward-exec-')))
  folder = join(home, 'skills', 'demo')
  await mkdir(folder, { recursive: true })
  workspace = await prepareWorkspace(home, 'agent')
  await writeFile(join(await prepareWorkspace(home, 'other'), 'note.txt'), 'of another agent')
  await writeFile(join(home, 'config.json'), '{"openai_api_key":"sk-very-secret"}')
})
afterEach(() => rm(home, { recursive: true, force: true }))

const callContext = (more: Partial<ToolContext> = {}) => toolContextOf({ workspace, ...more })

/** Makes a tool around a shell script of the skill. */
async function scripted(script: string, entry: object = {}, more: Partial<SkillToolContext> = {}) {
  await writeFile(join(folder, 'run.sh'), `${script}\n`)
  const [definition] = parseToolDefinitions([
    { id: 'demo_run', description: 'Runs.', type: 'exec', command: ['sh', 'run.sh'], ...entry },
  ])
  const skill: LoadedSkill = {
    id: 'demo',
    name: 'demo',
    description: 'Demo.',
    folder,
    instructions: '',
    metadata: {},
    requiredEnv: [],
    tools: [],
  }
  const context: SkillToolContext = {
    home,
    environment: { PATH, LANG: 'C.UTF-8' },
    settings: {},
    config: {},
    base: { off: 'none' },
    platformOrigins: [],
    http: createHttpClient(),
    sandboxMode: 'off',
    sandbox: { reason: 'off' },
    limits: await detectLimits(undefined, PATH ?? ''),
    maxResultBytes: 262_144,
    underWay: new Set(),
    now: Date.now,
    ...more,
  }
  if (definition === undefined) throw new Error('no definition')
  return toTool(definition, skill, context)
}

const byText = (a: string, b: string) => (a < b ? -1 : 1)
const parameters = (properties: object) => ({ parameters: { type: 'object', properties } })

it('A16: gives ok, exitCode, stdout, stderr, truncated, timedOut, durationMs; runs in the workspace', async () => {
  const tool = await scripted('pwd; echo problem >&2; echo made > file.txt; exit 2')
  expect(await tool.execute({}, callContext())).toEqual({
    ok: false,
    exitCode: 2,
    stdout: `${workspace}\n`,
    stderr: 'problem\n',
    truncated: false,
    timedOut: false,
    durationMs: expect.any(Number),
  })
  expect(await readFile(join(workspace, 'file.txt'), 'utf8')).toBe('made\n')
  expect(tool).toMatchObject({ returnsUntrustedContent: true, effects: 'write', idempotent: false })
})

it('A16: one template is one argument, whatever is in it; no shell reads it', async () => {
  const script = 'for a in "$@"; do printf "[%s]" "$a"; done'
  const args = [
    '--file',
    '{{file}}',
    '--name={{name}}',
    '{{missing}}',
    '--tag',
    '{{missing}}',
    '{{list}}',
    'end',
  ]
  const tool = await scripted(script, { args, ...parameters({ file: {}, name: {}, list: {} }) })
  const result = await tool.execute(
    { file: 'a b; touch hacked $(id) `id` "\'', name: '-x', list: [1, 'two'] },
    callContext(),
  )
  expect(result).toMatchObject({
    stdout: '[--file][a b; touch hacked $(id) `id` "\'][--name=-x][[1,"two"]][end]',
  })
  expect(await readdir(workspace)).toEqual([])
})

it('A16: a value cannot become an option by accident', async () => {
  const tool = await scripted('echo "$@"', { args: ['{{value}}'], ...parameters({ value: {} }) })
  await expect(tool.execute({ value: '--delete-everything' }, callContext())).rejects.toThrow(
    'must not start with "-"',
  )
  expect(await tool.execute({ value: -5 }, callContext())).toMatchObject({ stdout: '-5\n' })
  const behind = await scripted('shift; echo "$@"', {
    args: ['--', '{{value}}'],
    ...parameters({ value: {} }),
  })
  expect(await behind.execute({ value: '-v' }, callContext())).toMatchObject({ stdout: '-v\n' })
})

it('A16: stdin is all parameters as JSON, and output: json is parsed', async () => {
  const tool = await scripted('cat', { stdin: 'json', output: 'json', ...parameters({ a: {} }) })
  expect(await tool.execute({ a: [1, { b: 'ü' }] }, callContext())).toMatchObject({
    ok: true,
    data: { a: [1, { b: 'ü' }] },
  })
  const broken = await scripted('echo "{"', { output: 'json' })
  expect(await broken.execute({}, callContext())).toMatchObject({ ok: false, exitCode: 0, error: /no JSON/ })
})

it('A16: the environment is PATH, LANG, HOME and what is named; keys of providers never', async () => {
  const environment = {
    PATH,
    LANG: 'de_DE.UTF-8',
    HOME: '/root',
    PDF_LICENSE: 'license-4711',
    DISGUISED: 'sk-very-secret',
    OPENAI_API_KEY: 'sk-from-environment',
    API_TOKEN: 'platform-token',
    TELEGRAM_BOT_TOKEN: '4711:bot-token',
    DATABASE_URL: 'postgres://homeward:password@db/homeward',
    PGPASSWORD: 'password',
    LD_PRELOAD: '/evil.so',
    NODE_OPTIONS: '--import /evil.mjs',
    OTHER: 'not named',
  }
  const env = [...Object.keys(environment).filter((name) => name !== 'OTHER'), 'FROM_CONFIG', 'UNSET']
  const tool = await scripted(
    'env',
    { env },
    {
      environment,
      config: { FROM_CONFIG: 'configured value' },
      settings: { openai_api_key: 'sk-very-secret', channel_a_bot_token: '4711:bot-token' },
    },
  )
  const { stdout } = (await tool.execute({}, callContext())) as { stdout: string }
  const names = stdout
    .trim()
    .split('\n')
    .map((line) => line.split('=')[0] ?? '')
  expect(names.filter((name) => !['PWD', 'OLDPWD', 'SHLVL', '_'].includes(name)).toSorted(byText)).toEqual([
    'FROM_CONFIG',
    'HOME',
    'LANG',
    'PATH',
    'PDF_LICENSE',
  ])
  expect(stdout).toContain(`HOME=${workspace}`)
  // and what it was given is not handed to the model
  expect(stdout).toContain('PDF_LICENSE=[secret]')
  expect(stdout).toContain('FROM_CONFIG=[secret]')
})

it('A16: workspace paths are checked before the program sees them', async () => {
  const file = { type: 'string', format: 'workspace-path' }
  const tool = await scripted('cat "$1" 2>&1', {
    args: ['{{file}}'],
    ...parameters({ file, more: { type: 'array', items: file } }),
  })
  await writeFile(join(workspace, 'in.txt'), 'inside')
  await symlink(join(home, 'config.json'), join(workspace, 'link'))
  expect(await tool.execute({ file: './in.txt' }, callContext())).toMatchObject({ stdout: 'inside' })
  await writeFile(join(workspace, '-n'), 'dashed')
  expect(await tool.execute({ file: '-n' }, callContext())).toMatchObject({ stdout: 'dashed' })
  for (const path of ['../other/note.txt', join(home, 'config.json'), 'link', 'in.txt\0']) {
    await expect(tool.execute({ file: path }, callContext())).rejects.toMatchObject({
      code: 'validation_error',
    })
    await expect(tool.execute({ more: [path] }, callContext())).rejects.toMatchObject({
      code: 'validation_error',
    })
  }
  expect(JSON.stringify(tool.inputSchema)).not.toContain('workspace-path')
})

it('A16: both streams share max_output, and an error message keeps its place beside a flood', async () => {
  const tool = await scripted('echo why >&2; yes ü | head -c 100000', { max_output: 1001 })
  const result = (await tool.execute({}, callContext())) as {
    stdout: string
    stderr: string
    truncated: boolean
  }
  expect(result).toMatchObject({ stderr: 'why\n', truncated: true, ok: true })
  expect(Buffer.byteLength(result.stdout + result.stderr)).toBeLessThanOrEqual(1001)
  expect(result.stdout).not.toContain('\u{fffd}')
})

it('A16: its own timeout ends it', async () => {
  const tool = await scripted('sleep 60', { timeout: 0.2 })
  expect(await tool.execute({}, callContext())).toMatchObject({ ok: false, timedOut: true, exitCode: null })
})

it('A16: a script that was swapped for a link out of the folder, or is gone, since it was loaded does not run', async () => {
  const tool = await scripted('echo fine')
  await writeFile(join(home, 'evil.sh'), 'echo evil')
  await rm(join(folder, 'run.sh'))
  await symlink(join(home, 'evil.sh'), join(folder, 'run.sh'))
  await expect(tool.execute({}, callContext())).rejects.toMatchObject({ code: 'invalid_skill' })
  await rm(join(folder, 'run.sh')) // the program would look in the workspace, where an agent may have written one
  await expect(tool.execute({}, callContext())).rejects.toThrow('its script "run.sh" does not exist')
})

it('says that a program is not installed without saying where it looked', async () => {
  const tool = await scripted('', { command: ['no-such-program-anywhere'] })
  await expect(tool.execute({}, callContext())).rejects.toThrow(' failed: its program is not installed.')
})

describe.each(working)('in $kind', (sandbox) => {
  const found = { sandbox }

  const fenced = async (script: string, entry: object = {}) =>
    scripted(script, entry, {
      sandboxMode: 'auto',
      sandbox: found,
      limits: await detectLimits(sandbox, PATH ?? ''),
      environment: { PATH, LANG: 'C', NAMED: 'named-value' },
    })

  it('A16: writes in the workspace and nowhere else', async () => {
    const target = join(home, 'skills', 'demo', 'run.sh')
    const tool = await fenced(
      `echo a > inside; echo b > ../escape; echo c >> ${target}; echo d > ${home}/new; echo e > /etc/homeward-test`,
    )
    await tool.execute({}, callContext())
    expect(await readdir(workspace)).toEqual(['inside'])
    expect(await readdir(join(home, 'workspaces'))).toEqual(['agent', 'other'])
    expect(await readdir(home)).toEqual(['config.json', 'skills', 'workspaces'])
    expect(await readFile(target, 'utf8')).not.toContain('\nc')
    await expect(readFile('/etc/homeward-test')).rejects.toMatchObject({ code: 'ENOENT' })
  })

  it('A16: cannot read the data home: neither config.json nor another agent', async () => {
    const tool = await fenced(
      `cat ${home}/config.json; cat ${home}/workspaces/other/note.txt; ls ${home}/workspaces; cat /proc/1/environ`,
    )
    const result = JSON.stringify(await tool.execute({}, callContext()))
    expect(result).not.toContain('sk-very-secret')
    expect(result).not.toContain('of another agent')
    expect(result).toContain('agent\\n')
    expect(result).not.toContain('other\\n')
  })

  it('A16: cannot read a data home that lies outside of /tmp either, nor where people keep keys', async () => {
    const elsewhere = await mkdtemp(join(homedir(), '.homeward-test-'))
    try {
      await writeFile(join(elsewhere, 'config.json'), 'sk-very-secret')
      await mkdir(join(elsewhere, 'workspaces', 'agent'), { recursive: true })
      workspace = join(elsewhere, 'workspaces', 'agent')
      const script = `cat ${elsewhere}/config.json; ls -A ${elsewhere} ${homedir()}/.ssh; echo x > mine`
      const tool = await scripted(script, {}, { sandboxMode: 'auto', sandbox: found, home: elsewhere })
      const { stdout } = (await tool.execute({}, callContext())) as { stdout: string }
      expect(stdout.split('\n').filter((line) => !/^(|.*:)$/.test(line))).toEqual(['workspaces'])
      expect(await readdir(workspace)).toEqual(['mine'])
    } finally {
      await rm(elsewhere, { recursive: true, force: true })
    }
  })

  it('A16: has a private /tmp and sees no process but its own', async () => {
    const tool = await fenced('ls /proc | grep -c "^[0-9]"; echo x > /tmp/private && echo written; ls /tmp')
    const { stdout } = (await tool.execute({}, callContext())) as { stdout: string }
    expect(stdout).toMatch(/^\d\nwritten\n/)
    // the skill and the workspace stay where they are, which may be below /tmp
    const wayThere = relative('/tmp', home).split('/')[0]
    expect(
      stdout
        .trim()
        .split('\n')
        .slice(2)
        .filter((name) => name !== wayThere),
    ).toEqual(['private'])
    expect(await readdir(tmpdir())).not.toContain('private')
  })

  it('A16: has no network unless it names hosts', async () => {
    const server = createServer((_, response) => response.end('reached')).listen(0, '127.0.0.1')
    await new Promise((resolve) => void server.once('listening', resolve))
    const { port } = server.address() as AddressInfo
    await writeFile(
      join(folder, 'get.mjs'),
      `console.log(await fetch('http://127.0.0.1:${port}').then((r) => r.text(), () => 'no network'))`,
    )
    const command = ['node', 'get.mjs']
    expect(await (await fenced('', { command })).execute({}, callContext())).toMatchObject({
      stdout: 'no network\n',
    })
    const open = await fenced('', { command, network: ['127.0.0.1'] })
    expect(await open.execute({}, callContext())).toMatchObject({ stdout: 'reached\n' })
    server.close()
  })

  it('A16: has the same small environment', async () => {
    await writeFile(join(folder, 'env.mjs'), 'console.log(Object.keys(process.env).sort().join())')
    const tool = await fenced('', { command: ['node', 'env.mjs'], env: ['NAMED'] })
    expect(await tool.execute({}, callContext())).toMatchObject({ stdout: 'HOME,LANG,NAMED,PATH\n' })
  })

  it('A16: nothing survives its end, and SIGTERM reaches the program first', async () => {
    const orphan =
      'setsid sh -c "cd /; trap \\"\\" TERM; while :; do sleep 0.05; touch $PWD_/alive; done" >/dev/null 2>&1 &'
    const tool = await fenced(
      `PWD_=$(pwd); export PWD_; ${orphan} trap 'echo bye > bye; exit' TERM; touch up; sleep 60 & wait`,
    )
    const ending = new AbortController()
    const call = tool.execute({}, callContext({ signal: ending.signal }))
    // not before it can hear of it, however long its start takes
    await vi.waitFor(() => stat(join(workspace, 'up')), { timeout: 60_000 })
    ending.abort(new Error('enough'))
    await expect(call).rejects.toThrow('enough')
    expect(await readFile(join(workspace, 'bye'), 'utf8')).toBe('bye\n')
    await rm(join(workspace, 'alive'), { force: true })
    // another program of the same length: a survivor would have written meanwhile
    await (await fenced('sleep 0.3')).execute({}, callContext())
    expect(await readdir(workspace)).toEqual(['bye', 'up'])
  })

  it('A16: what a program leaves behind ends with it', async () => {
    const tool = await fenced(
      `(setsid sh -c 'cd /; while :; do sleep 0.02; echo x >> ${workspace}/alive; done' </dev/null >/dev/null 2>&1 &) ; while [ ! -e alive ]; do sleep 0.01; done`,
    )
    expect(await tool.execute({}, callContext())).toMatchObject({ ok: true })
    // the kernel takes a moment, and more than that on a busy machine; one that is left goes on writing
    await vi.waitFor(
      async () => {
        const { size } = await stat(join(workspace, 'alive'))
        await (await fenced('sleep 0.3')).execute({}, callContext())
        expect((await stat(join(workspace, 'alive'))).size).toBe(size)
      },
      { timeout: 60_000 },
    )
  })

  it.runIf(process.platform === 'linux')(
    'A16: sees no disks and changes no settings of the kernel, as root neither',
    async () => {
      const same = 'cat /proc/sys/kernel/printk > /proc/sys/kernel/printk && echo changed'
      const tool = await fenced(
        `find /dev -type b; ${same}; umount ${home}; mount -o remount,rw / ; cat ${home}/config.json; echo end`,
      )
      expect(await tool.execute({}, callContext())).toMatchObject({ stdout: 'end\n' })
    },
  )

  it('A16: a program of the skill that is executable runs as it is', async () => {
    const tool = await fenced('#!/bin/sh\necho direct', { command: ['./run.sh'] })
    await chmod(join(folder, 'run.sh'), 0o755)
    expect(await tool.execute({}, callContext())).toMatchObject({ ok: true, stdout: 'direct\n' })
  })
})
