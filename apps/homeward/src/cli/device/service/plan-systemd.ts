import { posix } from 'node:path'
import { checkValue } from './check-value.ts'
import type { ServiceOptions, ServiceStep } from './service-step.ts'
import { programFolder, serviceName, serviceUnitPath, serviceUser, sysusersPath } from './systemd-files.ts'

const run = (...command: [string, ...string[]]): ServiceStep => ({ do: 'run', command })
const tryTo = (...command: [string, ...string[]]): ServiceStep => ({ do: 'run', command, mayFail: true })

/** The steps that install the service and start it. Doing them again changes the roots of an installed one. */
export function planSystemdInstall(options: ServiceOptions): readonly ServiceStep[] {
  const { program, stateFolder, isStateNamed } = options
  const user = options.user ?? serviceUser
  checkValue('the user', user, /[^\w.-]/)
  const { copy } = program
  return [
    ...(copy === undefined
      ? []
      : [{ do: 'copy' as const, from: copy.from, path: posix.join(programFolder, copy.name), mode: 0o755 }]),
    ...(options.user === undefined
      ? [
          { do: 'write' as const, path: sysusersPath, content: sysusers, mode: 0o644 },
          run('systemd-sysusers', sysusersPath),
        ]
      : []),
    // systemd does so itself with the state folder of the service
    ...(isStateNamed ? [{ do: 'own' as const, path: stateFolder, user }] : []),
    { do: 'write', path: serviceUnitPath, content: systemdUnit({ ...options, user }), mode: 0o644 },
    run('systemctl', 'daemon-reload'),
    run('systemctl', 'enable', serviceName),
    run('systemctl', 'restart', serviceName),
  ]
}

/** The steps that remove the service, and its user unless `keepsState`. */
export function planSystemdRemoval(keepsState: boolean): readonly ServiceStep[] {
  return [
    tryTo('systemctl', 'disable', '--now', serviceName),
    { do: 'remove', path: serviceUnitPath },
    tryTo('systemctl', 'daemon-reload'),
    tryTo('systemctl', 'reset-failed', serviceName),
    { do: 'remove', path: sysusersPath },
    { do: 'remove', path: programFolder },
    ...(keepsState ? [] : [tryTo('userdel', serviceUser)]),
  ]
}

const sysusers = `u ${serviceUser} - "Homeward device agent"\n`

function systemdUnit(options: ServiceOptions & { readonly user: string }): string {
  const { user, stateFolder, isStateNamed } = options
  const lines = [
    '[Unit]',
    'Description=Homeward device agent',
    'Wants=network-online.target',
    'After=network-online.target',
    'StartLimitIntervalSec=0',
    '',
    '[Service]',
    'Type=exec',
    `User=${user}`,
    `ExecStart=${execStart(options)}`,
    ...Object.entries(options.environment).map(
      ([name, value]) => `Environment=${systemdAssignment(name, value)}`,
    ),
    'Restart=on-failure',
    'RestartSec=10',
    'UMask=0077',
    ...(isStateNamed
      ? [`ReadWritePaths=${systemdPath(stateFolder)}`]
      : [`StateDirectory=${posix.basename(stateFolder)}`, 'StateDirectoryMode=0700']),
    '',
    '# Of the home folders, it sees these folders only. It writes nothing but its state.',
    ...folderLines(options),
    ...confinement,
    '',
    '[Install]',
    'WantedBy=multi-user.target',
  ]
  return `${lines.join('\n')}\n`
}

function execStart({ program, roots, stateFolder }: ServiceOptions): string {
  const path = programPath(program)
  const [first, ...rest] = [...program.runner, path]
  const own = ['device', 'run', '--state', stateFolder, ...roots.flatMap((root) => ['--root', root])]
  return [systemdProgram(first), ...[...rest, ...own].map(systemdArgument)].join(' ')
}

const programPath = ({ copy, path }: ServiceOptions['program']) =>
  copy === undefined ? path : posix.join(programFolder, copy.name)

/** What `ProtectHome=` and `PrivateTmp=` hide. */
const hiddenFolders = ['/home', '/root', '/run/user', '/tmp', '/var/tmp']
const isHidden = (path: string) =>
  hiddenFolders.some((folder) => path === folder || path.startsWith(`${folder}/`))

function folderLines({ roots, program, stateFolder, isStateNamed }: ServiceOptions): readonly string[] {
  const programs = [...program.runner.filter((part) => part.startsWith('/')), programPath(program)]
  const seen = [...roots, ...programs].filter(isHidden)
  const isWholeDisk = roots.includes('/')
  return [
    `ReadOnlyPaths=${roots.map(systemdPath).join(' ')}`,
    isWholeDisk ? 'ProtectHome=read-only' : 'ProtectHome=tmpfs',
    ...(isWholeDisk ? [] : seen.map((path) => `BindReadOnlyPaths=${systemdBindPath(path)}`)),
    ...(isStateNamed && isHidden(stateFolder) && !isWholeDisk
      ? [`BindPaths=${systemdBindPath(stateFolder)}`]
      : []),
  ]
}

const confinement = [
  'ProtectSystem=strict',
  'NoNewPrivileges=yes',
  'CapabilityBoundingSet=',
  'AmbientCapabilities=',
  'PrivateTmp=yes',
  'PrivateDevices=yes',
  'PrivateMounts=yes',
  'ProtectClock=yes',
  'ProtectControlGroups=yes',
  'ProtectHostname=yes',
  'ProtectKernelLogs=yes',
  'ProtectKernelModules=yes',
  'ProtectKernelTunables=yes',
  'LockPersonality=yes',
  'RemoveIPC=yes',
  'RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_NETLINK',
  'RestrictNamespaces=yes',
  'RestrictRealtime=yes',
  'RestrictSUIDSGID=yes',
  'SystemCallArchitectures=native',
  'SystemCallFilter=@system-service',
  'SystemCallErrorNumber=EPERM',
] as const

/** One argument of `ExecStart=`: quoted, with nothing in it that systemd expands. */
function systemdArgument(text: string): string {
  return `"${escapeQuoted(checkValue('an argument', text)).replaceAll('$', '$$$$')}"`
}

/** One variable of `Environment=`: `$` has no meaning there. */
const systemdAssignment = (name: string, value: string) =>
  `"${name}=${escapeQuoted(checkValue(name, value))}"`

/** The program of `ExecStart=`, in which systemd does not undo `$$`. */
function systemdProgram(path: string): string {
  return `"${escapeQuoted(checkValue('the program', path, /\$/))}"`
}

/** One path of `ReadOnlyPaths=` or `ReadWritePaths=`; a path that is missing stops nothing. */
function systemdPath(path: string): string {
  return `"-${escapeQuoted(checkValue('a folder', path))}"`
}

/** One path of `BindPaths=` or `BindReadOnlyPaths=`, which systemd unquotes twice, the second time between colons. */
function systemdBindPath(path: string): string {
  const escaped = checkValue('a folder', path).replaceAll(/[\\"':]/g, String.raw`\$&`)
  return `"-${escaped.replaceAll('%', '%%')}"`
}

const escapeQuoted = (text: string) => text.replaceAll(/[\\"]/g, String.raw`\$&`).replaceAll('%', '%%')
