import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach } from 'vitest'
import { ZipFile } from 'yazl'
import { createInstalledSkills } from '../create-installed-skills.ts'
import { createSkillLibrary } from '../create-skill-library.ts'
import type { SkillLibraryOptions } from '../create-skill-library.ts'

/** A new data home for each test of a file, and skill libraries over it. */
export function useSkillHome() {
  let home = ''
  const changes: string[] = []
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'skills-'))
    changes.length = 0
  })
  afterEach(() => rm(home, { recursive: true, force: true }))
  return {
    get path() {
      return home
    },
    /** What the libraries have told: id and change. */
    changes,
    open: (settings: Record<string, string> = {}, more: Partial<SkillLibraryOptions> = {}) =>
      createSkillLibrary({
        installed: createInstalledSkills({ home, reservedToolIds: new Set(['time']) }),
        tools: {
          disabledTools: async () => new Map(),
          baseHost: async () => undefined,
          programs: () => undefined,
        },
        settings: { read: async () => settings },
        environment: {},
        onChange: (id, change) => changes.push(`${id} ${change}`),
        now: () => 0,
        ...more,
      }),
    async write(path: string, text: string): Promise<void> {
      const target = join(home, path)
      await mkdir(dirname(target), { recursive: true })
      await writeFile(target, text)
    },
  }
}

/** The text of a SKILL.md. */
export const manifest = (name: string, more = '') =>
  `---\nname: ${name}\ndescription: About ${name}\n${more}---\nRead me`

/** The bytes of an archive. */
export async function* zipped(files: Readonly<Record<string, string>>): AsyncGenerator<Uint8Array> {
  const archive = new ZipFile()
  for (const [name, text] of Object.entries(files)) archive.addBuffer(Buffer.from(text), name)
  archive.end()
  yield* archive.outputStream as AsyncIterable<Uint8Array>
}
