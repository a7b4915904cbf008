#!/usr/bin/env node
import { basename, resolve } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { parseArgs } from 'node:util'
import { createProject, templates, type TemplateName } from './create-project.ts'

const help = `Usage: npm create homeward [folder] [-- --template <name>]

Creates a project in a new or empty folder.

Templates:
${Object.entries(templates)
  .map(([name, { summary }]) => `  ${name.padEnd(14)}${summary}`)
  .join('\n')}

Options:
  --template <name>  asked for if it is missing and a person is there
  --packs <folder>   use archives of the packages in this folder instead of the npm registry
  --help
`

const names = Object.keys(templates)
const isTemplate = (name: string): name is TemplateName => name in templates

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: {
      template: { type: 'string' },
      packs: { type: 'string' },
      help: { type: 'boolean' },
    },
    allowPositionals: true,
  })
  if (values.help) return void process.stdout.write(help)
  const folder = positionals[0] ?? (await ask('Folder', 'my-homeward'))
  const template = values.template ?? (await ask(`Template (${names.join(', ')})`, 'device-cloud'))
  if (!isTemplate(template)) {
    throw new Error(
      `Creating the project failed: "${template}" is not a template. Use one of: ${names.join(', ')}.`,
    )
  }
  await createProject({ folder: resolve(folder), template, packs: values.packs && resolve(values.packs) })
  process.stdout.write(
    `Created ${basename(resolve(folder))} from the template ${template}. Next:\n\n` +
      `  cd ${folder}\n  npm install\n  npm start\n\n${templates[template].next}\n`,
  )
}

/** Asks a person, or takes the default where no person is. */
async function ask(question: string, byDefault: string): Promise<string> {
  if (!process.stdin.isTTY) return byDefault
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  const answer = await terminal.question(`${question} [${byDefault}]: `)
  terminal.close()
  return answer.trim() || byDefault
}

try {
  await main()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
