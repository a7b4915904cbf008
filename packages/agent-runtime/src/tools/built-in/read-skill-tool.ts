import type { Tool } from '../../ports/tool.ts'
import { RuntimeError } from '../../ports/runtime-error.ts'
import type { LoadedSkill } from '../../skills/skill-library.ts'
import { boundResult } from '../bound-result.ts'
import { boundText } from '../exec/bounded-output.ts'
import { skillFolder } from '../skill-folder.ts'
import { openWorkspace } from '../workspace/workspace.ts'
import { textOf } from './read-arguments.ts'

const maxListed = 200

/** Opens a skill of the agent: its instructions, or one of its files (A15). */
export function createReadSkillTool(skills: ReadonlyMap<string, LoadedSkill>, maxResultBytes: number): Tool {
  return {
    id: 'read_skill',
    description: 'Opens one of your skills: gives its instructions and its files, or the text of one file.',
    parameters: {
      type: 'object',
      properties: {
        skill: { type: 'string', enum: [...skills.keys()] },
        file: { type: 'string', maxLength: 4096, description: 'Relative path of a file of the skill.' },
      },
      required: ['skill'],
      additionalProperties: false,
    },
    effects: 'read',
    repeat: 'safe',
    untrusted: false,
    async call(args) {
      const name = textOf(args, 'skill')
      const skill = skills.get(name) ?? [...skills.values()].find((candidate) => candidate.name === name)
      if (skill === undefined) {
        const text = `Opening the skill ${JSON.stringify(name.slice(0, 100))} failed: this agent has no such skill.`
        throw new RuntimeError('not_found', text)
      }
      // the same care as for a workspace: an archive may have brought links
      const folder = openWorkspace(await skillFolder(skill))
      const file = textOf(args, 'file', '')
      if (file !== '') {
        const { bytes, size } = await folder.read(file, 0, maxResultBytes)
        const { text: content, truncated } = boundText(bytes, maxResultBytes, bytes.length < size)
        return { skill: skill.id, file, content, ...(truncated ? { truncated, size } : {}) }
      }
      const files = await folder.list('', true, maxListed)
      return {
        skill: skill.id,
        instructions: boundResult(skill.instructions, maxResultBytes),
        files: files.filter((entry) => entry.type === 'file').map((entry) => entry.path),
        tools: skill.tools.map((tool) => tool.id),
      }
    },
  }
}
