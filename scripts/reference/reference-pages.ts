import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { format, type FormatConfig } from 'oxfmt'
import { workspaceFolder } from '../workspace-packages.ts'
import { agentPlatformPage } from './agent-platform-page.ts'
import { deviceCloudPage } from './device-cloud-page.ts'
import { errorsPage } from './errors-page.ts'
import { eventsPage } from './events-page.ts'
import { skillsPage } from './skills-page.ts'

const pages: Readonly<Record<string, () => string>> = {
  'docs/reference/agent-platform.md': agentPlatformPage,
  'docs/reference/device-cloud.md': deviceCloudPage,
  'docs/reference/errors.md': errorsPage,
  'docs/reference/events.md': eventsPage,
  'docs/reference/skills.md': skillsPage,
}

/** Makes every generated page, formatted as `npm run format` would: text by path from the workspace's top folder. */
export async function referencePages(): Promise<Map<string, string>> {
  const { ignorePatterns: _, ...options } = JSON.parse(
    readFileSync(join(workspaceFolder, '.oxfmtrc.json'), 'utf8'),
  ) as FormatConfig & { ignorePatterns?: string[] }
  const made = new Map<string, string>()
  for (const [page, make] of Object.entries(pages)) {
    const { code, errors } = await format(page, make(), options)
    if (errors.length > 0) throw new Error(`Could not format ${page}: ${errors[0]?.message}`)
    made.set(page, code)
  }
  return made
}
