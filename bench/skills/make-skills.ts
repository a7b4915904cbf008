import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const topics = ['weather', 'invoices', 'calendar', 'tickets', 'contacts', 'parcels', 'reports', 'rooms']

/** What a skill consists of: a SKILL.md alone, as in the open standard, or with one to three HTTP tools. */
export type SkillKind = 'plain' | 'with tools'

/** Makes skills as people write them: a SKILL.md with front matter and instructions, and tools where they are wanted. */
export async function makeSkills(home: string, count: number, kind: SkillKind): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    const id = `skill-${String(index).padStart(4, '0')}`
    const folder = join(home, 'skills', id)
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, 'SKILL.md'), toManifest(id, topics[index % topics.length] ?? ''))
    if (kind === 'with tools') await writeFile(join(folder, 'tools.yaml'), toTools(index))
  }
}

const toManifest = (id: string, topic: string) => `---
name: ${id}
description: Finds and changes ${topic}. Use it when the task is about ${topic}.
version: 1.4.0
api_base: https://${topic}.example.com/v1
metadata:
  author: bench
---
# ${topic}

1. Search first, with the words of the person.
2. Read what was found before you change anything.
3. Say which of the ${topic} you have changed.
`

function toTools(index: number): string {
  const count = 1 + (index % 3)
  return `tools:\n${Array.from({ length: count }, (_, number) => toTool(index, number)).join('')}`
}

const toTool = (index: number, number: number) => `  - id: find_${index}_${number}
    description: Finds entries by words and time.
    method: GET
    path: /entries/{kind}
    parameters:
      type: object
      properties:
        kind: { type: string, in: path, description: Kind of entry. }
        q: { type: string, in: query, description: Words to look for. }
        limit: { type: integer, in: query, minimum: 1, maximum: 100 }
      required: [kind, q]
    effects: read
`
