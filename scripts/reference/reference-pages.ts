import { formatText } from '../format-text.ts'
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
  const made = new Map<string, string>()
  for (const [page, make] of Object.entries(pages)) {
    made.set(page, await formatText(page, make()))
  }
  return made
}
