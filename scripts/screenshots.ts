import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { chromium, type Page } from 'playwright-core'
import { findChromium, howToGetChromium } from '../tests/dashboard/find-chromium.ts'
import { startServers } from '../tests/dashboard/start-servers.ts'
import { toPalettePng } from './screenshots/palette-png.ts'
import { scenes } from './screenshots/scenes.ts'
import { seed } from './screenshots/seed.ts'
import { startOfficeModel } from './screenshots/office-model.ts'
import { workspaceFolder } from './workspace-packages.ts'

// Writes the pictures of docs/guides from the real pages, light and dark.
const maxBytes = 150_000
const folder = join(workspaceFolder, 'docs/guides/images')
const executablePath = findChromium()
if (executablePath === undefined) throw new Error(`Taking screenshots failed: ${howToGetChromium}.`)

async function save(page: Page, name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    const png = toPalettePng(await page.screenshot({ animations: 'disabled', caret: 'hide' }))
    const file = `${name}${colorScheme === 'dark' ? '-dark' : ''}.png`
    if (png.length > maxBytes) throw new Error(`Saving ${file} failed: ${png.length} bytes are too many.`)
    writeFileSync(join(folder, file), png)
    console.log(`wrote docs/guides/images/${file} (${Math.round(png.length / 1000)} kB)`)
  }
}

mkdirSync(folder, { recursive: true })
await using model = await startOfficeModel()
Object.assign(process.env, model.environment) // the agent platform reads it there
const servers = await startServers({ environment: { DEMO_MODEL: 'openai/gpt-5.4-mini' } })
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
try {
  const seeded = await seed(servers)
  const context = await browser.newContext({
    locale: 'en-GB',
    viewport: { width: 1280, height: 800 },
    reducedMotion: 'reduce',
  })
  for (const [name, show] of Object.entries(scenes)) {
    const page = await context.newPage()
    await show(page, { ...servers, ...seeded })
    await save(page, name)
    await page.close()
  }
} finally {
  await browser.close()
  await servers.end()
}
