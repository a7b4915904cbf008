import { formatText } from '../format-text.ts'
import { recordAgentPlatform } from './record-agent-platform.ts'
import { recordDeviceCloud } from './record-device-cloud.ts'

/** Records every example: the text of each file by its path from the workspace's top folder. */
export async function recordExamples(): Promise<Map<string, string>> {
  const { platform, openai } = await recordAgentPlatform()
  const files = {
    'agent-platform': platform,
    'device-cloud': await recordDeviceCloud(),
    openai,
  }
  const texts = new Map<string, string>()
  for (const [name, examples] of Object.entries(files)) {
    const path = `packages/contract/src/examples/${name}.json`
    texts.set(path, await formatText(path, JSON.stringify(examples, null, 2)))
  }
  return texts
}
