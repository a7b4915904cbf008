/** Methods of a skill library, for what stands for one until it is loaded. */
export const skillMethods = {
  snapshot: true,
  config: true,
  list: true,
  get: true,
  remove: true,
  install: true,
  preview: true,
  installSystem: true,
  uploadZip: true,
  previewUpload: true,
  uploadMarkdown: true,
  registry: true,
  configSchema: true,
  configView: true,
  saveConfig: true,
  setup: true,
} as const
