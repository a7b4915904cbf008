import { win32 } from 'node:path'
import { checkValue } from './check-value.ts'
import { agentArguments, escapeXml } from './plan-launchd.ts'
import { toSetArguments } from './service-environment.ts'
import type { ServiceOptions, ServiceStep } from './service-step.ts'

const taskName = 'Homeward device'

/** Whose task it is. */
interface WindowsUser {
  /** `PC\ann` */
  readonly name: string
  /** Where programs of all users keep their data: `C:\ProgramData`. */
  readonly programData: string
}

const folderOf = ({ programData }: WindowsUser) => win32.join(programData, 'homeward-device')
const taskFile = (user: WindowsUser) => win32.join(folderOf(user), 'task.xml')

/**
 * The steps that install a scheduled task, which starts with the machine under the user. A program that is made for a console is
 * no Windows service, so a task starts it.
 */
export function planWindowsInstall(options: ServiceOptions, user: WindowsUser): readonly ServiceStep[] {
  const { copy } = options.program
  const path = copy === undefined ? options.program.path : win32.join(folderOf(user), copy.name)
  const content = taskXml(options, path, options.user ?? user.name)
  return [
    // a running program cannot be replaced
    { do: 'run', command: ['schtasks', '/End', '/TN', taskName], mayFail: true },
    ...(copy === undefined ? [] : [{ do: 'copy' as const, from: copy.from, path, mode: 0o755 }]),
    { do: 'write', path: taskFile(user), content, mode: 0o644, encoding: 'utf16le' },
    { do: 'run', command: ['schtasks', '/Create', '/F', '/TN', taskName, '/XML', taskFile(user)] },
    { do: 'run', command: ['schtasks', '/Run', '/TN', taskName] },
  ]
}

/** The steps that remove it. */
export function planWindowsRemoval(user: WindowsUser): readonly ServiceStep[] {
  return [
    { do: 'run', command: ['schtasks', '/End', '/TN', taskName], mayFail: true },
    { do: 'run', command: ['schtasks', '/Delete', '/F', '/TN', taskName], mayFail: true },
    { do: 'remove', path: folderOf(user) },
  ]
}

/** Where the task's file is, and what asks for its state. */
export const windowsService = (user: WindowsUser) => ({
  path: taskFile(user),
  queries: [['schtasks', '/Query', '/TN', taskName]] as const,
})

function taskXml(options: ServiceOptions, path: string, user: string): string {
  const { program, roots, stateFolder, environment } = options
  // A task has no environment of its own.
  const run = [...agentArguments(program, path, stateFolder, roots), ...toSetArguments(environment)]
  const [command, ...own] = run.map(checkArgument)
  return [
    '<?xml version="1.0"?>',
    '<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">',
    '  <RegistrationInfo><Description>Homeward device agent</Description></RegistrationInfo>',
    '  <Triggers><BootTrigger><Enabled>true</Enabled></BootTrigger></Triggers>',
    '  <Principals><Principal id="Author">',
    `    <UserId>${escapeXml(checkValue('the user', user))}</UserId>`,
    '    <LogonType>S4U</LogonType><RunLevel>LeastPrivilege</RunLevel>',
    '  </Principal></Principals>',
    '  <Settings>',
    '    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>',
    '    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>',
    '    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>',
    '    <ExecutionTimeLimit>PT0S</ExecutionTimeLimit>',
    '    <RestartOnFailure><Interval>PT1M</Interval><Count>999</Count></RestartOnFailure>',
    '  </Settings>',
    '  <Actions Context="Author"><Exec>',
    `    <Command>${escapeXml(command ?? '')}</Command>`,
    `    <Arguments>${escapeXml(own.map(windowsArgument).join(' '))}</Arguments>`,
    '  </Exec></Actions>',
    '</Task>',
    '',
  ].join('\r\n')
}

/** The scheduler replaces `%NAME%` and `$(Arg0)`, and knows no way to write them plainly. */
const checkArgument = (text: string) => checkValue(`"${text}"`, text, /%|"|\$\(/)

/** One argument as Windows programs read their command line: a backslash counts double before a quote only. */
function windowsArgument(text: string): string {
  return /^[^\s"]+$/.test(text) ? text : `"${text.replace(/\\+$/, '$&$&')}"`
}
