import { createBackup } from '../../backup/create-backup.ts'
import { restoreBackup } from '../../backup/restore-backup.ts'
import { homewardVersion } from '../../program/version.ts'
import { readSettings } from '../../settings/settings.ts'
import type { ConfigureCommand } from '../commands.ts'
import { CliError } from '../cli-error.ts'
import { exitCodes } from '../exit-codes.ts'
import { openOutput } from '../output.ts'
import { addJsonOption } from '../server-options.ts'
import type { Cli } from '../cli.ts'

interface BackupOptions {
  readonly home?: string
  readonly json?: boolean
}

const homeOption = ['--home <folder>', 'data home (default: HOMEWARD_HOME, or ~/.homeward)'] as const

/** `homeward backup <file>` */
export const configureBackup: ConfigureCommand = (command, cli) => {
  command
    .argument('<file>', 'the new file; it holds keys and tokens, and only you can read it')
    .option(...homeOption)
    .addHelpText('after', '\nThe server may run meanwhile. With DATABASE_URL, rows are read from Postgres.')
  addJsonOption(command).action(async (file: string, options: BackupOptions) => {
    const output = openOutput(cli, options)
    const { home, databaseUrl } = placesOf(options, cli)
    const version = homewardVersion
    const summary = await createBackup({ file, home, databaseUrl, version, onProgress: output.progress })
    output.result({ file, ...summary }, () => {
      const databases = summary.databases.join(', ') || 'none'
      return `Created ${file}: ${summary.files} files; databases: ${databases}. Keep it secret: it holds keys and tokens.`
    })
  })
}

/** `homeward restore <file>` */
export const configureRestore: ConfigureCommand = (command, cli) => {
  command
    .argument('<file>', 'a file that "homeward backup" made')
    .option(...homeOption)
    .addHelpText(
      'after',
      '\nThe data home must be empty. For a backup of Postgres, DATABASE_URL names an empty database.',
    )
  addJsonOption(command).action(async (file: string, options: BackupOptions) => {
    const output = openOutput(cli, options)
    const { home, databaseUrl } = placesOf(options, cli)
    const summary = await restoreBackup({ file, home, databaseUrl, onProgress: output.progress })
    output.result({ home, ...summary }, () => {
      return `Restored the backup of ${summary.created_at} into ${home}: ${summary.files} files. Start the server with "homeward start".`
    })
  })
}

function placesOf({ home }: BackupOptions, { environment }: Cli) {
  try {
    return readSettings({ ...environment, ...(home !== undefined && { HOMEWARD_HOME: home }) })
  } catch (error) {
    throw new CliError((error as Error).message, exitCodes.usage, { cause: error })
  }
}
