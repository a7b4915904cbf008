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
    ...stop(uid),
    ...domainsOf(uid).map((domain) => enable(domain)),
    {
      do: 'run',
      command: bootstrap(`gui/${uid}`, home),
      // Without a desktop session, as over SSH, that domain does not exist.
      orElse: bootstrap(`user/${uid}`, home),
      tries: 5,
    },
  ]
}

/** The steps that remove it. */
export function planLaunchdRemoval({ uid, home }: MacUser): readonly ServiceStep[] {
  return [...stop(uid), { do: 'remove', path: plistPath(home) }, { do: 'remove', path: programFolder(home) }]
}

const domainsOf = (uid: number) => [`gui/${uid}`, `user/${uid}`] as const

const bootstrap = (domain: string, home: string) =>
  ['launchctl', 'bootstrap', domain, plistPath(home)] as const

const enable = (domain: string): ServiceStep => ({
  do: 'run',
  command: ['launchctl', 'enable', `${domain}/${label}`],
  mayFail: true,
})

/** `bootout` returns before the agent has stopped, and `bootstrap` fails until then. */
const stop = (uid: number): readonly ServiceStep[] =>
  domainsOf(uid).flatMap((domain): readonly ServiceStep[] => [
    { do: 'run', command: ['launchctl', 'bootout', `${domain}/${label}`], mayFail: true },
    { do: 'wait', command: ['launchctl', 'print', `${domain}/${label}`] },
  ])

/** Where the launch agent is, and what asks for its state. */
export const launchdService = ({ uid, home }: MacUser) => ({
  path: plistPath(home),
  queries: domainsOf(uid).map((domain) => ['launchctl', 'print', `${domain}/${label}`] as const),
})

function plist({ program, roots, stateFolder, environment }: ServiceOptions, path: string): string {
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
    '  <key>EnvironmentVariables</key>',
    '  <dict>',
    ...Object.entries(environment).map(([name, value]) => `    <key>${name}</key>${xmlString(value)}`),
    '  </dict>',
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
