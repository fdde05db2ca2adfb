/** What the bundle uses and Node 20 lacks. Node 20 is not supported, but the CLI starts there. */
Promise.withResolvers ??= function withResolvers<T>(this: PromiseConstructor): PromiseWithResolvers<T> {
  let resolve!: PromiseWithResolvers<T>["resolve"];
  let reject!: PromiseWithResolvers<T>["reject"];
  const promise = new this<T>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise, resolve, reject };
};
