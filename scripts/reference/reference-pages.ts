import { formatText } from '../format-text.ts'
import { agentPlatformPages } from './agent-platform-page.ts'
import { deviceCloudPages } from './device-cloud-page.ts'
import { errorsPage } from './errors-page.ts'
import { eventsPage } from './events-page.ts'
import { skillsPage } from './skills-page.ts'

const pages: Readonly<Record<string, () => string>> = {
  'docs/reference/errors.md': errorsPage,
  'docs/reference/events.md': eventsPage,
  'docs/reference/skills.md': skillsPage,
}

/** Makes every generated page, formatted as `npm run format` would: text by path from the workspace's top folder. */
export async function referencePages(): Promise<Map<string, string>> {
  const made = new Map<string, string>()
  const texts = [
    ...agentPlatformPages(),
    ...deviceCloudPages(),
    ...Object.entries(pages).map(([page, make]) => [page, make()] as const),
  ]
  for (const [page, text] of texts) made.set(page, await formatText(page, text))
  return made
}
