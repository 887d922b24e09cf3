/** Methods that Nest calls itself: a class-level decorator leaves them alone. */
export const LIFECYCLE_HOOKS: ReadonlySet<string | symbol> = new Set([
  'onModuleInit',
  'onApplicationBootstrap',
  'onModuleDestroy',
  'beforeApplicationShutdown',
  'onApplicationShutdown',
]);
