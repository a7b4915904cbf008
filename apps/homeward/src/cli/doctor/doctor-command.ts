import { runDoctor } from './run-doctor.ts'
import type { Checked } from './finding.ts'
import { CliError } from '../cli-error.ts'
import type { ConfigureCommand } from '../commands.ts'
import { exitCodes } from '../exit-codes.ts'
import { openOutput, type Output } from '../output.ts'
import { addJsonOption, toServerAddress } from '../server-options.ts'

interface DoctorOptions {
  readonly home?: string
  readonly token?: string
  readonly json?: boolean
}

/** `homeward doctor`: exits with 1 when something is wrong. */
export const configureDoctor: ConfigureCommand = (command, cli) => {
  command
    .option('--home <folder>', 'data home (default: HOMEWARD_HOME, or ~/.homeward)')
    .option('--token <token>', 'access token of the running server; prefer API_TOKEN')
    .addHelpText('after', '\nChanges nothing. Each model provider is asked once for its list of models.')
  addJsonOption(command).action(async ({ home, token, json }: DoctorOptions) => {
    const output = openOutput(cli, { json: json === true })
    const environment = { ...cli.environment, ...(home !== undefined && { HOMEWARD_HOME: home }) }
    const onChecked = (checked: Checked) => {
      if (!output.isJson) cli.stdout.write(`${toLines(checked, output).join('\n')}\n`)
    }
    const given = toServerAddress(
      { ...(token !== undefined && { token }), url: 'http://unused' },
      environment,
    ).token
    const checks = await runDoctor({ environment, token: given, onChecked })
    const findings = checks.flatMap((checked) => checked.findings)
    const errors = findings.filter(({ level }) => level === 'error').length
    output.result({ findings }, () => summaryOf(errors, findings.length - errors))
    if (errors > 0) throw new CliError('', exitCodes.failed)
  })
}

function toLines({ name, about, findings }: Checked, { style }: Output): string[] {
  if (findings.length === 0) return [`${style('green', 'ok      ')} ${name}: ${about}`]
  return findings.flatMap(({ level, problem, fix }) => {
    const mark = level === 'error' ? style('red', 'error   ') : style('yellow', 'warning ')
    return [`${mark} ${name}: ${problem}`, `         ${fix}`]
  })
}

function summaryOf(errors: number, warnings: number): string {
  if (errors + warnings === 0) return '\nNothing is wrong.'
  return `\nErrors: ${errors}, warnings: ${warnings}.`
}
