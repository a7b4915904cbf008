/** Kinds of devices that forms suggest; any other is as good (C1). */
export const types = ['desktop', 'laptop', 'server', 'mobile', 'tablet', 'iot', 'other']

/** Operating systems that forms suggest; any other is as good (C1). */
export const platforms = ['macos', 'windows', 'linux', 'ios', 'android', 'other']
