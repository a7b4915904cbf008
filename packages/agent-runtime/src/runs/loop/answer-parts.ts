import { readHosted } from '../stages/hosted-tools.ts'
import { keepModelFile } from '../stages/files.ts'
import { readSource, tellUntitled } from '../stages/sources.ts'
import type { ModelTurn, OtherPart } from './answer.ts'
import type { Run } from './run.ts'
import type { Tell } from './stage.ts'

/** Reads a part of an answer that only some models send: a source, a file, or what a tool of the provider did. */
export async function readPart(run: Run, turn: ModelTurn, part: OtherPart, tell: Tell): Promise<void> {
  if (part.type === 'end') tellUntitled(run, turn, tell)
  else if (part.type === 'source') readSource(run, turn, part, tell)
  else if (part.type === 'file') {
    const file = await keepModelFile(run, part, tell)
    if (file) turn.parts.push(file)
  } else readHosted(run, turn, part, tell)
}
