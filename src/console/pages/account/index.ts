// The pages before a session, in one chunk: who opens one often opens another.
export { ComeBack } from "./come-back.tsx";
export { ForgotPassword, ResetPassword } from "./password.tsx";
export { SignIn } from "./sign-in.tsx";
export { SignUp } from "./sign-up.tsx";
export { Verify } from "./verify.tsx";
