import { posix } from 'node:path'
import { checkValue } from './check-value.ts'
import type { AgentProgram, ServiceOptions, ServiceStep } from './service-step.ts'

const label = 'dev.homeward.device'

/** Whose service it is. */
interface MacUser {
  readonly uid: number
  /** Home folder. */
  readonly home: string
}

const plistPath = (home: string) => posix.join(home, `Library/LaunchAgents/${label}.plist`)
const programFolder = (home: string) => posix.join(home, 'Library/Application Support/homeward-device')

/** The steps that install a launch agent of the user and start it: it starts again when the user logs in. */
export function planLaunchdInstall(options: ServiceOptions, { uid, home }: MacUser): readonly ServiceStep[] {
  const { copy } = options.program
  const path = copy === undefined ? options.program.path : posix.join(programFolder(home), copy.name)
  return [
    ...(copy === undefined ? [] : [{ do: 'copy' as const, from: copy.from, path, mode: 0o755 }]),
    { do: 'write', path: plistPath(home), content: plist(options, path), mode: 0o644 },
    { do: 'run', command: ['launchctl', 'bootout', `gui/${uid}/${label}`], mayFail: true },
    { do: 'run', command: ['launchctl', 'bootstrap', `gui/${uid}`, plistPath(home)] },
  ]
}

/** The steps that remove it. */
export function planLaunchdRemoval({ uid, home }: MacUser): readonly ServiceStep[] {
  return [
    { do: 'run', command: ['launchctl', 'bootout', `gui/${uid}/${label}`], mayFail: true },
    { do: 'remove', path: plistPath(home) },
    { do: 'remove', path: programFolder(home) },
  ]
}

/** Where the launch agent is, and what asks for its state. */
export const launchdService = ({ uid, home }: MacUser) => ({
  path: plistPath(home),
  query: ['launchctl', 'print', `gui/${uid}/${label}`] as const,
})

function plist({ program, roots, stateFolder }: ServiceOptions, path: string): string {
  const log = posix.join(stateFolder, 'agent.log')
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">',
    '<plist version="1.0">',
    '<dict>',
    `  <key>Label</key>${xmlString(label)}`,
    '  <key>ProgramArguments</key>',
    '  <array>',
    ...agentArguments(program, path, stateFolder, roots).map((argument) => `    ${xmlString(argument)}`),
    '  </array>',
    '  <key>RunAtLoad</key><true/>',
    '  <key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>',
    '  <key>ThrottleInterval</key><integer>10</integer>',
    '  <key>ProcessType</key><string>Background</string>',
    '  <key>Umask</key><integer>63</integer>',
    `  <key>StandardOutPath</key>${xmlString(log)}`,
    `  <key>StandardErrorPath</key>${xmlString(log)}`,
    '</dict>',
    '</plist>',
    '',
  ].join('\n')
}

/** Everything that starts the agent, the program first. */
export function agentArguments(
  program: AgentProgram,
  path: string,
  stateFolder: string,
  roots: readonly string[],
): readonly [string, ...string[]] {
  const [first, ...rest] = [...program.runner, path]
  return [
    first,
    ...rest,
    'device',
    'run',
    '--state',
    stateFolder,
    ...roots.flatMap((root) => ['--root', root]),
  ]
}

const xmlString = (text: string) => `<string>${escapeXml(checkValue('a path', text))}</string>`

/** A text as XML holds it, in an element or an attribute. */
export function escapeXml(text: string): string {
  const names: Readonly<Record<string, string>> = {
    '&': 'amp',
    '<': 'lt',
    '>': 'gt',
    '"': 'quot',
    "'": 'apos',
  }
  return text.replaceAll(/[&<>"']/g, (character) => `&${names[character]};`)
}
