import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { workspaceFolder } from './workspace-packages.ts'

// Looks for secrets in all tracked files, and for known vulnerabilities in the dependencies that are installed with the packages.

const execute = promisify(execFile)
const maxBuffer = 256 * 1024 * 1024

/** What real secrets look like. */
const secrets: readonly (readonly [kind: string, pattern: RegExp])[] = [
  ['private key', /-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----\s*[A-Za-z0-9+/=]{40}/],
  ['access key of AWS', /\b(?:AKIA|ASIA)(?!IOSFODNN7EXAMPLE)[0-9A-Z]{16}\b/],
  ['token of GitHub', /\bgh[pousr]_[A-Za-z0-9]{36,}\b|\bgithub_pat_[A-Za-z0-9_]{60,}\b/],
  ['token of npm', /\bnpm_[A-Za-z0-9]{36}\b/],
  ['token of Slack', /\bxox[abposr]-\d{10,}-[A-Za-z0-9-]{20,}/],
  ['key of OpenAI or Anthropic', /\bsk-(?:ant-api\d\d-|proj-)?[A-Za-z0-9_-]{40,}\b/],
  ['key of Google', /\bAIza[A-Za-z0-9_-]{35}\b/],
  ['token of Telegram', /\b\d{9,10}:AA[A-Za-z0-9_-]{33}\b/],
]

/** Tests whose values are made up and have to look real: what they test tells secrets by their form. */
const madeUp: ReadonlySet<string> = new Set([
  'packages/agent-runtime/src/channels/files/send-files.test.ts',
  'packages/agent-runtime/src/channels/telegram/testing/telegram-kit.ts',
  'packages/agent-runtime/src/channels/testing/platform-proofs.ts',
  'packages/agent-runtime/src/journal/create-journaled-store.test.ts',
])

/** Places of secrets in the tracked files, without the secrets. */
async function findSecrets(): Promise<readonly string[]> {
  const { stdout } = await execute('git', ['ls-files', '-z'], { cwd: workspaceFolder, maxBuffer })
  const found: string[] = []
  for (const path of stdout.split('\0').filter((name) => name !== '' && !madeUp.has(name))) {
    const text = await readFile(join(workspaceFolder, path), 'utf8').catch(() => '')
    for (const [kind, pattern] of secrets) {
      const match = pattern.exec(text)
      if (match) found.push(`${path}:${text.slice(0, match.index).split('\n').length}: ${kind}`)
    }
  }
  return found
}

interface Audit {
  readonly vulnerabilities?: Readonly<Record<string, { readonly severity: string; readonly range: string }>>
}

/** Dependencies with known vulnerabilities of the two worst levels; undefined if the registry cannot be asked. */
async function findVulnerabilities(): Promise<readonly string[] | undefined> {
  const args = ['audit', '--omit=dev', '--json']
  const options = { cwd: workspaceFolder, maxBuffer, timeout: 120_000 }
  // It exits with 1 if it finds something, too.
  const { stdout = '' } = await execute('npm', args, options).catch(
    (error: { readonly stdout?: string }) => error,
  )
  const { vulnerabilities } = parse(stdout)
  if (vulnerabilities === undefined) return undefined
  return Object.entries(vulnerabilities)
    .filter(([, { severity }]) => severity === 'high' || severity === 'critical')
    .map(([name, { severity, range }]) => `${name} ${range}: ${severity}`)
}

function parse(text: string): Audit {
  try {
    return JSON.parse(text) as Audit // as npm documents it
  } catch {
    return {}
  }
}

const leaked = await findSecrets()
for (const place of leaked) console.error(`${place}. Remove it, and revoke it where it was issued.`)
const vulnerable = await findVulnerabilities()
if (vulnerable === undefined) {
  console.log('npm audit was skipped: the registry has no audit endpoint, or it cannot be reached.')
} else for (const dependency of vulnerable) console.error(`${dependency}. Update it.`)
if (leaked.length + (vulnerable?.length ?? 0) > 0) process.exit(1)
console.log('no secrets in tracked files')
