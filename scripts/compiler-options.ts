import { join } from 'node:path'
import ts from 'typescript'
import { workspaceFolder } from './workspace-packages.ts'

/** Reads the compiler options of the workspace. */
export function compilerOptions(): ts.CompilerOptions {
  const file = join(workspaceFolder, 'tsconfig.json')
  const { config } = ts.readConfigFile(file, ts.sys.readFile) as { config: unknown }
  return ts.parseJsonConfigFileContent(config, ts.sys, workspaceFolder).options
}
