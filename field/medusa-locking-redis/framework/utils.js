// Stands in for Medusa's framework, of 600 packages, from which the locking provider takes these two.
exports.promiseAll = (promises) => Promise.all(promises);

exports.MedusaError = class MedusaError extends Error {
  static Types = { CONFLICT: "conflict" };
  constructor(type, message) {
    super(message);
    this.type = type;
  }
};
