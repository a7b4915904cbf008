import type { SettingKey, Settings, SettingsPatch, SettingsView } from '@homeward/contract/agent-platform'

/** Result of a change of the settings. */
export interface SettingsUpdate {
  /** Changed settings that an environment variable overrides. They are saved, but the variable applies. */
  readonly overridden: readonly SettingKey[]
}

/** Settings of the operator. */
export interface RuntimeSettings {
  /**
   * Reads the settings with secrets: environment variables override config.json. Manual changes of the file take
   * effect.
   */
  read(): Promise<Settings>
  /** Returns the settings for display: secrets as `has_<key>` booleans, and the state of each channel and provider. */
  view(): Promise<SettingsView>
  /**
   * Changes config.json. Absent keys keep their value, and `null` and `''` clear a key. Writes everything or nothing.
   *
   * @throws {RuntimeError} `validation_error` for an unknown key or an invalid value.
   */
  update(patch: SettingsPatch): Promise<SettingsUpdate>
}
